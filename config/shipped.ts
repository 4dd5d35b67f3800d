/** The schema of every shipped configuration file: the build checks them all, so that commands need not. */
import type { z } from 'zod';
import { authoritySchema, domainsSchema, scoringSchema } from '../lib/scoring/config.js';
import { secretsSchema } from '../lib/secrets/rules.js';
import { blocksSchema } from './blocks.js';
import type { ConfigName } from './load.js';
import { modelsSchema } from './models.js';
import { scheduleSchema } from './schedule.js';
import { settingsSchema } from './schema.js';
import { sourcesSchema } from './sources.js';
import { trackingParamsSchema } from './tracking-params.js';

export const shippedSchemas: Partial<Record<ConfigName, z.ZodType>> = {
  config: settingsSchema,
  sources: sourcesSchema,
  scoring: scoringSchema,
  domains: domainsSchema,
  authority: authoritySchema,
  secrets: secretsSchema,
  blocks: blocksSchema,
  schedule: scheduleSchema,
  models: modelsSchema,
  'tracking-params': trackingParamsSchema,
};
