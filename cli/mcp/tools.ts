/** The four read-only tools; each is a thin call of a pipeline or of a reader. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Scrubber } from '../../lib/secrets/types.js';
import type { Filter } from '../../runner/items.js';
import { getContext } from '../../workspace/context.js';
import { listNotes, readNote } from '../../workspace/notes.js';
import { search } from '../../workspace/search.js';
import type { Workspace } from '../../workspace/workspace.js';
import { filterFrom } from '../search/filter-options.js';
import { answer, MAX_RESULT_CHARACTERS } from './answers.js';
import { progressOf } from './progress.js';
import * as schema from './schemas.js';

export interface Surface {
  readonly workspace: Workspace;
  readonly scrubber: Scrubber;
  /** Highest sensitivity class this surface may show. */
  readonly ceiling: NonNullable<Filter['ceiling']>;
}

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const LIMITS = { 'anthropic/maxResultSizeChars': MAX_RESULT_CHARACTERS } as const;

/** Registers the tools on a server. */
export function registerTools(server: McpServer, surface: Surface): void {
  const { workspace, scrubber, ceiling } = surface;
  const filterOf = (filters: schema.ToolFilters | undefined): Filter =>
    toFilter(filters, workspace.clock.now(), ceiling);

  server.registerTool(
    'obsidian_search',
    {
      title: 'Search notes',
      description:
        'Hybrid keyword and semantic search over the vault. Use a few words or an exact identifier. When `good` is false nothing useful was found: say so instead of quoting.',
      inputSchema: schema.searchInput,
      outputSchema: schema.searchOutput,
      annotations: READ_ONLY,
      _meta: LIMITS,
    },
    ({ query, limit, max_tokens, filters }, extra) =>
      answer(scrubber, async () => {
        const { answer: found } = await search(workspace, {
          text: query,
          limit,
          maxTokens: max_tokens,
          filter: filterOf(filters),
          signal: extra.signal,
          observers: progressOf(workspace, 'search', extra),
        });
        return { ...found };
      }),
  );
  server.registerTool(
    'obsidian_read_note',
    {
      title: 'Read a note',
      description:
        'Text of one note by path, with its outline. Long notes come in parts: continue with from_line = next_line.',
      inputSchema: schema.readInput,
      outputSchema: schema.readOutput,
      annotations: READ_ONLY,
      _meta: LIMITS,
    },
    ({ file_path, from_line, to_line }) =>
      answer(scrubber, async () => ({
        ...(await readNote(workspace, {
          path: file_path,
          ceiling,
          ...(from_line === undefined ? {} : { from: from_line }),
          ...(to_line === undefined ? {} : { to: to_line }),
        })),
      })),
  );
  server.registerTool(
    'obsidian_list_notes',
    {
      title: 'List notes',
      description: 'Notes by folder, tag, type, domain or date, newest first.',
      inputSchema: schema.listInput,
      outputSchema: schema.listOutput,
      annotations: READ_ONLY,
      _meta: LIMITS,
    },
    ({ limit, cursor, ...filters }) =>
      answer(scrubber, async () => listNotes(workspace, filterOf(filters), limit, Number(cursor ?? 0))),
  );
  server.registerTool(
    'obsidian_get_context',
    {
      title: 'Get context on a topic',
      description: 'One block of the most relevant note sections on a topic, with sources, ready to use.',
      inputSchema: schema.contextInput,
      outputSchema: schema.contextOutput,
      annotations: READ_ONLY,
      _meta: LIMITS,
    },
    ({ topic, max_tokens }, extra) =>
      answer(scrubber, async () => {
        const { text, tokens, sources, notices } = await getContext(workspace, {
          topic,
          maxTokens: max_tokens,
          filter: { ceiling },
          signal: extra.signal,
          observers: progressOf(workspace, 'context', extra),
        });
        return { topic, text, tokens, sources, notices };
      }),
  );
}

function toFilter(
  filters: schema.ToolFilters | undefined,
  now: number,
  ceiling: NonNullable<Filter['ceiling']>,
): Filter {
  const { folder, type, domain, tag, status, created, updated } = filters ?? {};
  return filterFrom(
    {
      ...(folder === undefined ? {} : { folder: [folder] }),
      ...(type === undefined ? {} : { type: [type] }),
      ...(domain === undefined ? {} : { domain: [domain] }),
      ...(tag === undefined ? {} : { tag: [tag] }),
      ...(status === undefined ? {} : { status: [status] }),
      ...(created === undefined ? {} : { created }),
      ...(updated === undefined ? {} : { updated }),
    },
    now,
    ceiling,
  );
}
