/** `hook session`: when a session starts, the prompt-cache blocks, so that nothing in them has to be searched again. */
import { FORMATS } from '../../lib/blocks/render.js';
import { sessionBlocks } from '../../workspace/blocks/session.js';
import type { Workspace } from '../../workspace/workspace.js';
import { bounded } from './context.js';
import type { HookInput } from './input.js';
import { HookSession } from './session.js';

const HEADING = 'Notes of the vault that every session starts with; look further with obsidian_search.\n\n';

/** Undefined when there are no blocks, or when the resumed conversation holds them already. */
export async function blocksFor(workspace: Workspace, input: HookInput): Promise<string | undefined> {
  if (input['source'] === 'resume') return undefined;
  const { blocks, sources } = await sessionBlocks(workspace);
  if (blocks.length === 0) return undefined;
  // `hook context` need not say again what stands here.
  new HookSession(workspace.stateDir, input.session_id).remember(
    sources.map(({ file_path: path, lines: [from] }) => `${path}:${from}`),
  );
  return bounded(HEADING + FORMATS.xml(blocks));
}
