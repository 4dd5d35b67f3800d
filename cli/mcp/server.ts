/** One MCP server on an opened workspace: plan and resources are loaded once and shared by all its sessions. */
import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { packagePath } from '../../lib/package-root.js';
import { messageOf } from '../../runner/errors.js';
import type { Workspace } from '../../workspace/workspace.js';
import { registerCompletions } from './completions.js';
import { registerPrompts } from './prompts.js';
import { registerResources } from './resources.js';
import { registerTools, type Surface } from './tools.js';

/** Opens what every session shares. `way` chooses the sensitivity ceiling of the settings. */
export async function openSurface(workspace: Workspace, way: 'mcp' | 'http'): Promise<Surface> {
  const scrubber = await workspace.resources.use('scrubber');
  return { workspace, scrubber, ceiling: workspace.settings.sensitivity.ceilings[way] ?? 'internal' };
}

/** A server for one session; instructions are made from the index as it is now. */
export async function createMcpServer(surface: Surface): Promise<McpServer> {
  const { version } = JSON.parse(readFileSync(packagePath('package.json'), 'utf8')) as { version: string };
  const server = new McpServer(
    { name: 'sluice', title: 'Sluice: notes of this vault', version },
    { instructions: await instructions(surface.workspace) },
  );
  registerTools(server, surface);
  registerResources(server, surface);
  registerCompletions(server, surface);
  registerPrompts(server);
  return server;
}

/** Short: every session pays for it. */
async function instructions(workspace: Workspace): Promise<string> {
  const how =
    'Search with 2-8 words or an exact identifier, not a sentence. Results carry path and lines: cite them. If `good` is false, nothing relevant was found. Read long notes in parts by line range. Everything is read-only; credentials are replaced by [REDACTED:name].';
  try {
    const store = await workspace.resources.use('store');
    const { notes, chunks, vectors } = await store.counts();
    const meaning = vectors === 0 ? ' Keyword search only: the index holds no vectors.' : '';
    return `A personal vault of ${notes} notes in ${chunks} sections.${meaning} ${how}`;
  } catch (error) {
    return `The index of this vault cannot be opened (${messageOf(error)}); tools will say what to run. ${how}`;
  }
}

/** Loads plan, model and index before the first question, so that it is not the slow one. Failures show when asked. */
export async function warm(workspace: Workspace): Promise<void> {
  try {
    workspace.plan('search');
    workspace.plan('context');
    const embedder = await workspace.resources.use('embedder');
    await embedder.embed(['warm'], 'query');
    await (await workspace.resources.use('store')).counts();
  } catch {
    // The tools report what is missing, with the command to run.
  }
}
