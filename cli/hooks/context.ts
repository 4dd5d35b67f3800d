/** `hook context`: before an edit or a command, what the vault knows about it, if it knows anything. */
import { assembleContext } from '../../lib/answer/context-block.js';
import { makeItem } from '../../runner/items.js';
import type { Workspace } from '../../workspace/workspace.js';
import { type HookInput, topicOf } from './input.js';
import { HookSession } from './session.js';

const LIMIT = 3;
const MAX_TOKENS = 1500;
/** The client refuses more characters in one answer. */
export const CLIENT_CEILING = 10_000;
const NOTICE = '\n(cut: use obsidian_search for the rest)\n';

/** Words of a topic below which a search would only guess. */
const LEAST_WORDS = 2;

/** The block to inject, or undefined when nothing is worth the agent's attention. */
export async function contextFor(workspace: Workspace, input: HookInput): Promise<string | undefined> {
  const topic = topicOf(input);
  if (topic === undefined || topic.split(/\W+/).filter((w) => w.length > 2).length < LEAST_WORDS) return undefined;
  const query = makeItem('Query', {
    text: topic,
    filter: { ceiling: workspace.settings.sensitivity.ceilings['hook'] ?? 'internal' },
    limit: LIMIT,
    maxTokens: MAX_TOKENS,
  });
  const { items, report } = await workspace.ask<'Hit'>('search', query);
  const judged = report.reports['confidence'] as { good?: boolean } | undefined;
  if (!judged?.good) return undefined;
  const session = new HookSession(workspace.stateDir, input.session_id);
  const place = ({ path, lines }: { path: string; lines: readonly [number, number] }): string => `${path}:${lines[0]}`;
  const fresh = items.map((i) => i.data).filter((hit) => !session.has(place(hit)));
  if (fresh.length === 0) return undefined;
  session.remember(fresh.map(place));
  const label = input.tool_name ?? 'this step';
  return bounded(
    `Notes of the vault that may matter for ${label}:\n\n${assembleContext(topic.slice(0, 80), fresh, MAX_TOKENS).text}`,
  );
}

/** Cut below the client's ceiling, at a section if there is one, never inside a character. */
export function bounded(text: string, ceiling = CLIENT_CEILING): string {
  if (text.length < ceiling) return text;
  const room = ceiling - NOTICE.length - 1;
  const section = text.lastIndexOf('\n## ', room);
  let end = section > room / 2 ? section : text.lastIndexOf('\n', room);
  if (end < room / 2) end = room;
  const code = text.charCodeAt(end - 1);
  if (code >= 0xd800 && code <= 0xdbff) end--;
  return text.slice(0, end) + NOTICE;
}
