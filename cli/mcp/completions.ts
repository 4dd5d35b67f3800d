/** Completion of arguments: note paths and block names; prompts take free text and complete to nothing. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { CompleteRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { blockSettings } from '../../workspace/blocks/blocks.js';
import { listNotes } from '../../workspace/notes.js';
import type { Surface } from './tools.js';

/** Newest notes that completion looks through. */
const SEARCHED = 5000;
/** The protocol allows no more values in an answer. */
const MOST = 100;

export function registerCompletions({ server }: McpServer, surface: Surface): void {
  server.registerCapabilities({ completions: {} });
  server.setRequestHandler(CompleteRequestSchema, async ({ params: { ref, argument } }) => {
    const found = ref.type === 'ref/resource' ? await valuesOf(ref.uri, argument.value, surface) : [];
    const values = surface.scrubber.scrubValue(found.slice(0, MOST));
    return { completion: { values, total: found.length, hasMore: found.length > MOST } };
  });
}

async function valuesOf(uri: string, start: string, { workspace, ceiling }: Surface): Promise<string[]> {
  if (uri.startsWith('block://'))
    return blockSettings(workspace)
      .map(([name]) => name)
      .filter((name) => name.startsWith(start));
  const wanted = start.toLowerCase();
  const { notes } = await listNotes(workspace, { ceiling }, SEARCHED);
  const paths = notes.map((note) => note.file_path).filter((path) => path.toLowerCase().includes(wanted));
  const begins = (path: string): number => Number(path.toLowerCase().startsWith(wanted));
  return paths.sort((a, b) => begins(b) - begins(a));
}
