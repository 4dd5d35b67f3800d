/** Input and output of the four tools. Strict: an unknown parameter is an error that names it, never ignored. */
import { z } from 'zod';

const day = z.string().describe('YYYY-MM-DD, or words such as "last week".');

const filters = z
  .strictObject({
    folder: z.string().optional().describe('Only notes below this folder, e.g. "03-resources/security".'),
    type: z.string().optional().describe('note, signal, project, moc or daily.'),
    domain: z.string().optional().describe('e.g. "security".'),
    tag: z.string().optional().describe('A tag without #; nested tags match too.'),
    status: z.string().optional().describe('active, archived or draft.'),
    created: day.optional().describe('Created in this range: "last week", "2026-01-01..2026-02-01".'),
    updated: day.optional().describe('Updated in this range.'),
  })
  .describe('All given ones must hold.');

export type ToolFilters = z.output<typeof filters>;

const lines = z.tuple([z.number(), z.number()]).describe('First and last line, 1-based, in the file.');

const result = z.object({
  file_path: z.string(),
  section: z.string(),
  lines,
  text: z.string(),
  excerpt: z.string(),
  score: z.number(),
  bm25_rank: z.number().nullable(),
  vec_rank: z.number().nullable(),
  title: z.string(),
  domain: z.string().nullable(),
  tags: z.array(z.string()),
  updated: z.string().nullable(),
  source: z.string().nullable(),
  truncated: z.boolean().optional(),
  similar: z.array(z.object({ file_path: z.string(), section: z.string(), lines })).optional(),
});

/** Errors come in the same envelope, so every field may be absent there. */
const notices = z.array(z.object({ code: z.string(), message: z.string() }));

export const searchInput = z.strictObject({
  query: z.string().min(1).max(10_000).describe('2-8 words, an identifier, or a "quoted phrase"; -word excludes.'),
  limit: z.number().int().min(1).max(20).default(5).describe('Results at most.'),
  max_tokens: z.number().int().min(100).max(6000).default(2000).describe('Budget for all result texts together.'),
  filters: filters.optional(),
});
export const searchOutput = z.object({
  query: z.string(),
  count: z.number(),
  confidence: z.number().describe('0..1: how likely the vault answers this at all.'),
  good: z.boolean().describe('false: treat the results as "nothing found".'),
  notices,
  results: z.array(result),
});

export const readInput = z.strictObject({
  file_path: z.string().min(1).max(1000).describe('As given by a search result.'),
  from_line: z.number().int().min(1).optional().describe('First line to read.'),
  to_line: z.number().int().min(1).optional().describe('Last line to read.'),
});
export const readOutput = z.object({
  file_path: z.string(),
  title: z.string(),
  lines,
  total_lines: z.number(),
  text: z.string(),
  next_line: z.number().nullable().describe('Continue with from_line = this; null at the end.'),
  outline: z.array(z.object({ line: z.number(), level: z.number(), heading: z.string() })),
});

export const listInput = z.strictObject({
  ...filters.shape,
  limit: z.number().int().min(1).max(100).default(20),
  cursor: z.string().regex(/^\d+$/).optional().describe('next_cursor of the page before.'),
});
export const listOutput = z.object({
  notes: z.array(
    z.object({
      file_path: z.string(),
      title: z.string(),
      type: z.string().nullable(),
      domain: z.string().nullable(),
      tags: z.array(z.string()),
      created: z.string().nullable(),
      updated: z.string().nullable(),
    }),
  ),
  next_cursor: z.string().nullable(),
});

export const contextInput = z.strictObject({
  topic: z.string().min(1).max(10_000).describe('What you are about to work on.'),
  max_tokens: z.number().int().min(100).max(8000).default(2000).describe('Size of the block.'),
});
export const contextOutput = z.object({
  topic: z.string(),
  tokens: z.number(),
  text: z.string(),
  sources: z.array(z.object({ file_path: z.string(), section: z.string(), lines })),
  notices,
});
