/** Opens the workspace a command was asked for. */
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../workspace/workspace.js';
import type { CommonOptions } from './command.js';

/** The command-line options as workspace options; the process's environment and folder enter here and nowhere else. */
export function workspaceOptions(options: CommonOptions): WorkspaceOptions {
  return {
    vault: options.vault,
    db: options.db,
    config: options.config,
    offline: options.offline,
    cwd: process.cwd(),
    env: process.env,
  };
}

/** Opens it, hands it to `work`, and closes it whatever happens. */
export async function withWorkspace<T>(
  options: CommonOptions,
  work: (workspace: Workspace) => Promise<T>,
  extra: Partial<WorkspaceOptions> = {},
): Promise<T> {
  const workspace = await openWorkspace({ ...workspaceOptions(options), ...extra });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}
