/** The shape of sources.yaml, and the resource through which stages read sources and their files. */
import { z } from 'zod';
import { duration } from '../runner/values.js';

export const sourceKinds = ['feed', 'bookmarks', 'mail', 'list', 'inbox'] as const;

export const sourceSchema = z.strictObject({
  name: z.string().trim().min(1).max(200).describe('Unique name; items and fetch state are kept under it.'),
  kind: z.enum(sourceKinds).default('feed').describe('Which reader reads it.'),
  url: z.string().trim().min(1).describe('http(s) address, file: URL, or a path relative to the vault.'),
  category: z.string().optional().describe('Folder in OPML; `a/b` nests.'),
  tags: z.array(z.string()).default([]).describe('Tags every item gets.'),
  every: duration().optional().describe('Not asked again before this has passed.'),
  enabled: z.boolean().default(true).describe('False keeps the entry but reads nothing.'),
});

export type Source = z.output<typeof sourceSchema>;
export type SourceKind = Source['kind'];

export const sourcesSchema = z
  .array(sourceSchema)
  .superRefine((sources, context) => {
    const names = new Set<string>();
    for (const [index, { name }] of sources.entries()) {
      if (names.has(name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `the name "${name}" is used twice` });
      names.add(name);
    }
  })
  .nullish()
  .transform((sources) => sources ?? []);

/** Sources as stages see them. */
export interface Sources {
  /** The configured sources; `from` names another YAML file of the same shape, relative to the vault's `.pipeline`. */
  list(from?: string): Promise<readonly Source[]>;
  /** Bytes of a source that is a file. Rejects with a `PipelineError` that names the path. */
  readFile(url: string, maxBytes: number): Promise<Uint8Array>;
  /** Absolute path of a source that is a file or a folder. */
  path(url: string): string;
  /** Bounds from the settings, so that they stand in one place. */
  readonly limits: { readonly maxFeedBytes: number; readonly maxPageBytes: number; readonly timeoutMs: number };
}

/** True when a source is fetched over the network. */
export function isRemote(url: string): boolean {
  return /^https?:\/\//i.test(url);
}

declare module '../runner/resources.js' {
  interface ResourceTypes {
    sources: Sources;
  }
}
