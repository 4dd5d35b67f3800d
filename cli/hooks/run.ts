/** Runs a hook: JSON in, JSON out, exit 0 whatever happens. A hook that fails must never stand in an agent's way. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeError } from '../../runner/errors.js';
import { capture } from '../../workspace/capture.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommonOptions } from '../command.js';
import { openForCommand } from '../open.js';
import { outputScrubber } from '../output.js';
import { compressResponse, MARK } from './compress.js';
import { contextFor } from './context.js';
import { type HookFields, type HookInput, parseHookInput, responseText } from './input.js';
import { blocksFor } from './session-start.js';

export type HookName = 'context' | 'capture' | 'compress' | 'session';

/** Outputs shorter than this hold nothing worth keeping. */
const CAPTURE_FROM = 500;
/** Set for everything a hook starts: a hook inside a hook does nothing. */
export const GUARD = 'SLUICE_IN_HOOK';
/** Tools that get context; reading and listing do not need any. */
const CONTEXT_TOOLS = new Set(['Edit', 'Write', 'Bash', 'apply_patch', 'shell', 'local_shell']);

/** What goes to stdout: `{}` when there is nothing to say. */
export async function runHook(name: HookName, text: string, options: CommonOptions): Promise<string> {
  if (process.env[GUARD]) return '{}';
  process.env[GUARD] = '1';
  let workspace: Workspace | undefined;
  try {
    const input = parseHookInput(text);
    if (name === 'context' && !CONTEXT_TOOLS.has(input.tool_name ?? '')) return '{}';
    workspace = await openForCommand(options, { readOnly: name !== 'capture' });
    const fields = await HOOKS[name](workspace, input);
    if (fields === undefined) return '{}';
    const scrubbed = (await outputScrubber()).scrubValue(fields);
    return JSON.stringify({ hookSpecificOutput: { hookEventName: input.hook_event_name, ...scrubbed } });
  } catch (error) {
    await log(workspace, name, error);
    return '{}';
  } finally {
    await workspace?.close();
  }
}

const HOOKS: Readonly<Record<HookName, (workspace: Workspace, input: HookInput) => Promise<HookFields | undefined>>> = {
  async context(workspace, input) {
    const additionalContext = await contextFor(workspace, input);
    return additionalContext === undefined ? undefined : { additionalContext };
  },
  async session(workspace, input) {
    const additionalContext = await blocksFor(workspace, input);
    return additionalContext === undefined ? undefined : { additionalContext };
  },
  async compress(workspace, input) {
    const scrubber = await workspace.resources.use('scrubber');
    return compressResponse(input, scrubber, workspace.stateDir, workspace.clock.now());
  },
  async capture(workspace, input) {
    const text = responseText(input.tool_response);
    if (text.length < CAPTURE_FROM || text.includes(MARK)) return undefined;
    const title =
      `${input.tool_name ?? 'Tool'} output: ${String(input.tool_input?.['description'] ?? input.tool_input?.['command'] ?? '').slice(0, 60)}`.trim();
    await capture(workspace, { text: `\`\`\`\`\n${text}\n\`\`\`\``, title, by: input.tool_name ?? 'agent' });
    return undefined;
  },
};

/** One line in the log of the state folder, scrubbed; its own failure is ignored, there is nowhere left to say it. */
async function log(workspace: Workspace | undefined, name: HookName, error: unknown): Promise<void> {
  try {
    const folder = join(workspace?.stateDir ?? process.env['SLUICE_STATE'] ?? '', 'hooks');
    const line = (await outputScrubber()).scrub(describeError(error)).text.replace(/\s+/g, ' ');
    mkdirSync(folder, { recursive: true });
    appendFileSync(join(folder, 'hooks.log'), `${new Date().toISOString()} ${name}: ${line}\n`);
  } catch {
    // Fail open.
  }
}
