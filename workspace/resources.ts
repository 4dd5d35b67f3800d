/** How each named resource of a vault is made. Every factory imports its module when first used, never before. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import type { ConfigName } from '../config/load.js';
import type { Settings } from '../config/schema.js';
import type { Clock, ResourceFactories } from '../runner/resources.js';
import type { Places } from './workspace.js';

export interface ResourceSetup {
  readonly places: Places;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trusted: boolean;
  readonly offline: boolean;
  readonly readOnly: boolean;
  config<S extends z.ZodType>(name: ConfigName, schema: S): z.output<S>;
}

export function resourceFactories(setup: ResourceSetup): ResourceFactories {
  const { clock, places, readOnly } = setup;
  return {
    clock: () => clock,
    ledger: async () => {
      const { openLedger } = await import('../store/sqlite/ledger.js');
      if (!readOnly) mkdirSync(dirname(places.ledgerFile), { recursive: true });
      return openLedger({ file: places.ledgerFile, readOnly });
    },
    scorer: async () => {
      const { openScorer } = await import('./scoring.js');
      return openScorer(setup);
    },
    sources: async () => {
      const { createSources } = await import('./sources.js');
      return createSources(setup);
    },
    urlCleaner: async () => {
      const { trackingParamsSchema, urlCleanerFrom } = await import('../config/tracking-params.js');
      return urlCleanerFrom(setup.config('tracking-params', trackingParamsSchema));
    },
  };
}
