/** Asks the block pipelines what a block holds now; nothing here looks at the clock or at an earlier block. */
import { createHash } from 'node:crypto';
import type { BlockSettings } from '../../config/blocks.js';
import { visibleSensitivities } from '../../lib/query/filter.js';
import { type Context, type Filter, makeItem } from '../../runner/items.js';
import type { Notice } from '../../runner/observe.js';
import type { ChunkStore } from '../../store/types.js';
import { readPipelineSource } from '../pipelines.js';
import type { Workspace } from '../workspace.js';

/** A file that contributed to a block, by the bytes it had. */
export interface BlockFile {
  readonly path: string;
  /** SHA-256 of its bytes, hex. */
  readonly hash: string;
}

export interface Composed {
  readonly text: string;
  /** At four characters a token, as everywhere. */
  readonly tokens: number;
  readonly sources: Context['sources'];
  readonly files: readonly BlockFile[];
  readonly notices: readonly Notice[];
}

/** Chunks considered for a query; the token budget decides how many fit. */
const CANDIDATES = 24;
/** Chunks of listed notes; the token budget decides. */
const LISTED_CHUNKS = 10_000;

/** Fingerprint of a block's settings and of the pipeline that fills it: a block is built anew when this changes. */
export function definitionOf({ userDir }: Pick<Workspace, 'userDir'>, settings: BlockSettings): string {
  const { text } = readPipelineSource(pipelineOf(settings), userDir);
  return createHash('sha256')
    .update(JSON.stringify([settings, text]))
    .digest('hex')
    .slice(0, 16);
}

const pipelineOf = ({ vault_query: query }: BlockSettings): string => (query === undefined ? 'blocks-notes' : 'blocks');

/** @throws {PipelineError} `store-missing` and what else the pipelines throw. */
export async function compose(workspace: Workspace, name: string, settings: BlockSettings): Promise<Composed> {
  const store = await workspace.resources.use('store');
  const notes = settings.notes ?? (settings.moc === undefined ? undefined : await linkedFrom(store, settings.moc));
  const query = makeItem('Query', {
    text: settings.vault_query ?? name,
    filter: { ...(settings.filter as Filter), ceiling: ceilingOf(workspace) },
    limit: notes ? LISTED_CHUNKS : CANDIDATES,
    maxTokens: settings.max_tokens,
    ...(notes ? { notes } : {}),
  });
  const byPath = (settings.order ?? (notes ? 'listed' : 'path')) === 'path';
  const { items, report } = await workspace.ask<'Context'>(pipelineOf(settings), query, {
    overrides: [`assemble-context.format=${settings.format}`, `assemble-context.order=${byPath ? 'path' : 'rank'}`],
  });
  const judged = report.reports['confidence'] as { good?: boolean } | undefined;
  const { text, tokens, sources } = items[0]?.data ?? { text: '', tokens: 0, sources: [] };
  // Notes that do not answer are worse than none: an agent would believe them in every prompt.
  if (sources.length === 0 || judged?.good === false)
    return { text: '', tokens: 0, sources: [], files: [], notices: [...report.notices, emptyNotice(name, settings)] };
  return {
    text: text.replace(/\r\n?/g, '\n'),
    tokens,
    sources,
    files: await filesOf(store, sources),
    notices: report.notices,
  };
}

/** One block serves every agent: it holds what the strictest of their ways in may see. */
function ceilingOf({ settings }: Workspace): NonNullable<Filter['ceiling']> {
  const ceilings = ['mcp', 'http', 'hook'].map((surface) => settings.sensitivity.ceilings[surface] ?? 'internal');
  return ceilings.sort((a, b) => visibleSensitivities(a).length - visibleSensitivities(b).length)[0] ?? 'internal';
}

async function linkedFrom(store: ChunkStore, moc: string): Promise<string[]> {
  return [...new Set((await store.linksFrom(moc)).flatMap(({ to }) => (to === null ? [] : [to])))];
}

async function filesOf(store: ChunkStore, sources: Context['sources']): Promise<BlockFile[]> {
  const paths = [...new Set(sources.map((source) => source.file_path))].sort();
  return Promise.all(paths.map(async (path) => ({ path, hash: (await store.file(path))?.hash ?? '' })));
}

function emptyNotice(name: string, { vault_query: query, moc }: BlockSettings): Notice {
  const remedy =
    query === undefined
      ? `check its paths${moc === undefined ? '' : ` and the links of ${moc}`}, its filter and \`pipeline index\``
      : 'use other words in vault_query, or name the notes with `notes:`';
  return { code: 'empty-block', message: `The block ${name} is empty: no note answers it. In blocks.yaml, ${remedy}.` };
}
