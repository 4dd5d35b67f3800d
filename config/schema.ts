/** The shape of config/default.yaml: every setting that is not a stage's own. Comments for users stand in the YAML. */
import { z } from 'zod';
import { byteSize, duration } from '../runner/values.js';

const sensitivity = z.enum(['public', 'internal', 'private', 'secret']);

const tokens = z.number().int().min(0);

/** A duration in milliseconds, or undefined for `never`: kept for ever. */
const age = () => z.union([z.literal('never').transform(() => undefined), duration()]);

export const settingsSchema = z.strictObject({
  store: z
    .string()
    // The message never repeats the value: it may be a URL with a password that was mistyped.
    .refine((value) => value === 'sqlite' || /^(postgres|postgresql):\/\/|^file:./.test(value), {
      error: 'must be "sqlite", a postgres:// URL, or file: and the name of a file that holds one',
    })
    .describe('Where the index lives: "sqlite", a postgres:// URL, or file: and the name of a file that holds one.'),
  pipelines: z
    .strictObject({
      index: z.string().describe('What `index`, `watch` and the intake run to bring the index up to date.'),
      search: z.string().describe('What answers `search`, agents and hooks.'),
    })
    .describe('The pipeline that plays a role; wherever the role is asked for by name, this one runs.'),
  http: z.strictObject({
    userAgent: z.string().describe('How the fetcher names itself.'),
    concurrency: z.number().int().min(1).max(64).describe('Requests at a time, over all hosts.'),
    perHost: z.number().int().min(1).max(8).describe('Requests at a time to one host.'),
    spacing: duration().describe('Least time between two requests to one host.'),
    timeout: duration().describe('Time for a whole exchange.'),
    maxFeedBytes: byteSize().describe('Largest feed, after decompression.'),
    maxPageBytes: byteSize().describe('Largest page, after decompression.'),
    redirects: z.number().int().min(0).max(20).describe('Redirects followed.'),
    allowPrivateHosts: z
      .union([z.boolean(), z.array(z.string())])
      .describe('Allow loopback and private addresses: true for all, or a list of host names.'),
    respectRobots: z.boolean().describe('Obey robots.txt when fetching pages.'),
  }),
  sources: z.strictObject({
    failingAfter: z.number().int().min(1).describe('Failures in a row from which a source counts as failing.'),
    silentAfter: z.number().int().min(1).describe('Days without anything new from which a source counts as silent.'),
  }),
  embed: z.strictObject({
    model: z.string().describe('A model of models.yaml, or "none" for keyword search only.'),
    batch: z.number().int().min(1).max(1024).describe('Chunks embedded at a time.'),
  }),
  index: z.strictObject({
    deleteThreshold: z
      .number()
      .min(0)
      .max(1)
      .describe('Share of notes that may vanish at once without --allow-delete.'),
    maxNoteBytes: byteSize().describe('Larger notes are reported and left out.'),
  }),
  ledger: z.strictObject({
    keepArticles: age().describe('How long the stored text of skipped and duplicate items is kept for replay.'),
    keepRows: age().describe('How long the row of such an item is kept.'),
  }),
  retention: z.strictObject({
    hookOutputs: age().describe('How long raw outputs kept by `hook compress` stay.'),
    hookOutputBytes: byteSize().describe('Raw outputs together; the oldest go first.'),
    hookSessions: age().describe('How long it is remembered what a session was given.'),
    logBytes: byteSize().describe('A log larger than this is rotated.'),
    logFiles: z.number().int().min(1).max(20).describe('Rotated logs kept.'),
    history: age().describe('How long the records of scheduled runs stay.'),
  }),
  session: z
    .strictObject({
      total: tokens.describe('Tokens of context a session may hold.'),
      system: tokens.describe('For the system prompt.'),
      blocks: tokens.describe('For prompt-cache blocks, loaded when the session starts.'),
      search: tokens.describe('For what is searched on the way.'),
      conversation: tokens.describe('For the conversation itself.'),
    })
    .refine(({ total, system, blocks, search, conversation }) => system + blocks + search + conversation <= total, {
      error: 'the parts sum to more than total',
    }),
  sensitivity: z.strictObject({
    default: sensitivity.describe('Class of a note that says nothing.'),
    paths: z.record(z.string(), sensitivity).describe('Class by path pattern (.gitignore syntax).'),
    ceilings: z.record(z.string(), sensitivity).describe('Highest class a surface may show.'),
  }),
});

export type Settings = z.output<typeof settingsSchema>;
