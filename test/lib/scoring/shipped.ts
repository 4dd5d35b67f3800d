/** The shipped scoring configuration, as the tests of scoring use it. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../../lib/package-root.js';
import { parseScoringSettings, type RawScoringSettings, type ScoringSettings } from '../../../lib/scoring/config.js';
import type { Article } from '../../../runner/items.js';

export function shippedRaw(): {
  scoring: Record<string, unknown>;
  authority: Record<string, unknown>;
  domains: Record<string, unknown>;
} {
  const read = (name: string) => parse(readFileSync(packagePath('config', `${name}.yaml`), 'utf8'))[name];
  return { scoring: read('scoring'), authority: read('authority'), domains: read('domains') };
}

let settings: ScoringSettings | undefined;

/** Parsed once per test file. */
export function shippedSettings(): ScoringSettings {
  settings ??= parseScoringSettings(shippedRaw() as RawScoringSettings);
  return settings;
}

export function article(title: string, more: Partial<Article> = {}): Article {
  return { source: { name: 'test', kind: 'feed' }, title, tags: [], ...more };
}
