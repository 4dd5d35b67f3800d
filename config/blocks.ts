/** The shape of config/blocks.yaml. */
import { z } from 'zod';

const list = z
  .union([z.string(), z.array(z.string())])
  .transform((value) => (typeof value === 'string' ? [value] : value));

const filter = z
  .strictObject({
    type: list.optional(),
    domain: list.optional(),
    tag: list.optional(),
    status: list.optional(),
    folder: list.optional(),
    source: list.optional(),
  })
  .default({})
  .describe('Only notes with this metadata.');

export const blockSchema = z
  .strictObject({
    vault_query: z.string().trim().min(1).optional().describe('A search whose best sections the block holds.'),
    notes: z.array(z.string()).min(1).optional().describe('Paths of notes the block holds, in this order.'),
    moc: z.string().optional().describe('A map of content: the block holds the notes it links to.'),
    filter,
    max_tokens: z.number().int().min(50).max(100_000).default(1500).describe('Size of the block.'),
    ttl_hours: z.number().positive().default(24).describe('Built anew after so many hours at the latest.'),
    order: z
      .enum(['path', 'relevance', 'listed'])
      .optional()
      .describe('Order of notes: by path (default of a query; it moves least), by rank, or as listed.'),
    format: z.enum(['markdown', 'xml', 'text']).default('markdown').describe('How the block is written.'),
  })
  .refine((block) => [block.vault_query, block.notes, block.moc].filter((given) => given !== undefined).length === 1, {
    error: 'needs exactly one of vault_query, notes and moc',
  });

export const blocksSchema = z.record(z.string().regex(/^[a-z][a-z0-9-]*$/, 'names are kebab-case'), blockSchema);

export type BlockSettings = z.output<typeof blockSchema>;
export type BlocksConfig = z.output<typeof blocksSchema>;
