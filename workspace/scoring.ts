/** Opens what scoring needs in a vault: its three configuration files, and what the user kept of each source. */
import {
  agreeing,
  authoritySchema,
  domainsSchema,
  type ScoringSettings,
  scoringSchema,
} from '../lib/scoring/config.js';
import { createScorer, type Scorer } from '../lib/scoring/scorer.js';
import { sourceHistory } from '../store/labels.js';
import type { Ledger } from '../store/ledger.js';
import type { ResourceSetup } from './resources.js';

/** @throws {ConfigErrors} with file and line of every finding. */
export function loadScoring(config: ResourceSetup['config']): ScoringSettings {
  return agreeing({
    scoring: config('scoring', scoringSchema),
    authority: config('authority', authoritySchema),
    domains: config('domains', domainsSchema),
  });
}

export async function openScorer(
  { config }: Pick<ResourceSetup, 'config'>,
  ledger: Ledger | undefined,
): Promise<Scorer> {
  const settings = loadScoring(config);
  if (!ledger) return createScorer(settings);
  return createScorer(settings, { history: await sourceHistory(ledger, settings.authority.history.since) });
}
