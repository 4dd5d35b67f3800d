/** The shape of config/schedule.yaml. */
import { z } from 'zod';
import { duration } from '../runner/values.js';

export const scheduleSchema = z.record(
  z.string().regex(/^[a-z][a-z0-9-]*$/, 'names are kebab-case'),
  z.strictObject({
    pipeline: z.string().describe('Name of the pipeline to run.'),
    cron: z.string().describe('Five fields: minute hour day month weekday.'),
    timeZone: z.string().default('local').describe('IANA name, or `local`.'),
    jitter: duration().prefault('0s').describe('Each run starts up to this much later.'),
    catchUp: z.enum(['once', 'skip']).default('once').describe('What happens to runs missed in sleep.'),
    timeout: duration().prefault('1h').describe('A run is stopped after this time.'),
    onFailure: z
      .strictObject({
        after: z.number().int().min(1).default(3).describe('Failures in a row before anything is said.'),
        webhook: z
          .url({ protocol: /^https?$/ })
          .optional()
          .describe('Gets a JSON POST: job, failures, reason, vault; only in a vault you trusted.'),
        command: z
          .array(z.string())
          .min(1)
          .optional()
          .describe('Program and arguments, without a shell; only in a vault you trusted. The JSON comes on stdin.'),
      })
      .prefault({})
      .describe('What happens when a job keeps failing.'),
  }),
);

export type ScheduleConfig = z.output<typeof scheduleSchema>;
