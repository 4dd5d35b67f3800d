/** Notes as resources: `vault://PATH`, listed newest first, readable like with obsidian_read_note. */
import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { blockSettings, refreshBlocks } from '../../workspace/blocks/blocks.js';
import { listNotes, readNote } from '../../workspace/notes.js';
import type { Surface } from './tools.js';

/** Notes in one listing: clients show them in a menu. */
const LISTED = 100;

export const uriOf = (path: string): string => `vault://${path.split('/').map(encodeURIComponent).join('/')}`;

export function registerResources(server: McpServer, surface: Surface): void {
  registerBlocks(server, surface);
  const { workspace, ceiling, scrubber } = surface;
  const list = async () => {
    const { notes } = await listNotes(workspace, { ceiling }, LISTED);
    return {
      resources: notes.map((note) =>
        scrubber.scrubValue({
          uri: uriOf(note.file_path),
          name: note.file_path,
          title: note.title,
          mimeType: 'text/markdown',
        }),
      ),
    };
  };
  server.registerResource(
    'note',
    new ResourceTemplate('vault://{+path}', { list }),
    { title: 'A note of the vault', description: 'Markdown, credentials removed.', mimeType: 'text/markdown' },
    async (uri, { path }) => {
      const note = await readNote(workspace, { path: decodeURIComponent(String(path)), ceiling });
      const more = note.next_line === null ? '' : `\n\n(continues at line ${note.next_line}: use obsidian_read_note)`;
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text: scrubber.scrubValue(note.text + more) }] };
    },
  );
}

/** Prompt-cache blocks: `block://NAME`, longest-lived first, current when they are read. */
function registerBlocks(server: McpServer, { workspace, scrubber }: Surface): void {
  const list = () => ({
    resources: blockSettings(workspace).map(([name, settings]) =>
      scrubber.scrubValue({
        uri: `block://${name}`,
        name,
        title: settings.vault_query ?? name,
        mimeType: 'text/markdown',
      }),
    ),
  });
  server.registerResource(
    'block',
    new ResourceTemplate('block://{name}', { list }),
    {
      title: 'A prompt-cache block',
      description: 'Notes on one topic that stay the same bytes until they change: put them first in a prompt.',
      mimeType: 'text/markdown',
    },
    async (uri, { name }) => {
      const [refreshed] = await refreshBlocks(workspace, { names: [String(name)] });
      const text = scrubber.scrubValue(refreshed?.block.text ?? '');
      return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
    },
  );
}
