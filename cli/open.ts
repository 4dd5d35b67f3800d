/** Opens the workspace a command was asked for. */
import type { Scrubber } from '../lib/secrets/types.js';
import { openScrubber } from '../workspace/scrubber.js';
import { openWorkspace, type Workspace, type WorkspaceOptions } from '../workspace/workspace.js';
import type { CommonOptions } from './command.js';
import { setOutputScrubber } from './output.js';

/** The command-line options as workspace options; the process's environment and folder enter here and nowhere else. */
function workspaceOptions(options: CommonOptions): WorkspaceOptions {
  return {
    vault: options.vault,
    db: options.db,
    config: options.config,
    offline: options.offline,
    cwd: process.cwd(),
    env: process.env,
  };
}

/** Opens a workspace; from then on its patterns guard everything that is printed. The only way a command opens one. */
export async function openForCommand(
  options: CommonOptions,
  extra: Partial<WorkspaceOptions> = {},
): Promise<Workspace> {
  let made: Promise<Scrubber> | undefined;
  // One scrubber for the pipelines and for the output, which may come after the workspace is closed.
  const scrubber = (): Promise<Scrubber> => {
    made ??= openScrubber(workspace);
    return made;
  };
  const workspace = await openWorkspace({
    ...workspaceOptions(options),
    ...extra,
    resources: { scrubber, ...extra.resources },
  });
  setOutputScrubber(scrubber);
  return workspace;
}

/** Opens it, hands it to `work`, and closes it whatever happens. */
export async function withWorkspace<T>(
  options: CommonOptions,
  work: (workspace: Workspace) => Promise<T>,
  extra: Partial<WorkspaceOptions> = {},
): Promise<T> {
  const workspace = await openForCommand(options, extra);
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}
