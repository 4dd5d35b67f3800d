/** The blocks a session starts with: up to date, in order, within what the session's plan has for them. */
import { blockBudget } from '../../lib/blocks/budget.js';
import type { RenderedBlock } from '../../lib/blocks/render.js';
import type { Context } from '../../runner/items.js';
import type { Workspace } from '../workspace.js';
import { refreshBlocks } from './blocks.js';

export interface SessionBlocks {
  readonly blocks: readonly RenderedBlock[];
  readonly tokens: number;
  readonly sources: Context['sources'];
  /** Blocks left out because the plan has no room for them. */
  readonly leftOut: readonly string[];
}

/** Empty blocks are no blocks. */
export async function sessionBlocks(workspace: Workspace): Promise<SessionBlocks> {
  const filled = (await refreshBlocks(workspace)).filter(({ block }) => block.tokens > 0);
  const sized = filled.map(({ block, settings }) => ({
    name: block.name,
    tokens: block.tokens,
    ttlHours: settings.ttl_hours,
  }));
  const { trim } = blockBudget(workspace.settings.session, sized);
  const kept = filled.filter(({ block }) => !trim.includes(block.name));
  return {
    blocks: kept.map(({ block, settings }) => ({ name: block.name, text: block.text, ttlHours: settings.ttl_hours })),
    tokens: kept.reduce((sum, { block }) => sum + block.tokens, 0),
    sources: kept.flatMap(({ block }) => block.sources),
    leftOut: trim,
  };
}
