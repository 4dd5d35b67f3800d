/** The shipped scoring configuration, as the tests of scoring use it. */
import { loadConfig } from '../../../config/load.js';
import {
  agreeing,
  authoritySchema,
  domainsSchema,
  type ScoringSettings,
  scoringSchema,
} from '../../../lib/scoring/config.js';
import type { Article } from '../../../runner/items.js';

let settings: ScoringSettings | undefined;

/** Parsed once per test file. */
export function shippedSettings(): ScoringSettings {
  const place = { env: {} };
  settings ??= agreeing({
    scoring: loadConfig('scoring', scoringSchema, place),
    authority: loadConfig('authority', authoritySchema, place),
    domains: loadConfig('domains', domainsSchema, place),
  });
  return settings;
}

export function article(title: string, more: Partial<Article> = {}): Article {
  return { source: { name: 'test', kind: 'feed' }, title, tags: [], ...more };
}
