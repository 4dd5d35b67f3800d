/** All checks in the order a person would make them: the ground first, then what stands on it. */
import { isOnServer } from '../server.js';
import type { Workspace } from '../workspace.js';
import { checkDisk, checkLock, checkModel, checkPipelines, checkSources, checkVault, type Finding } from './checks.js';
import { type Repairable, repairAll, withoutRepairs } from './repair.js';

/** Examines vault, settings, index, model and sources. With `fix` the index is repaired where that is safe. */
export async function examine(workspace: Workspace, fix: boolean): Promise<readonly Finding[]> {
  const index = await checkIndex(workspace);
  return [
    ...(await checkVault(workspace)),
    ...(await checkPipelines(workspace)),
    ...checkDisk(workspace),
    ...(fix ? await repairAll(workspace, index) : withoutRepairs(index)),
    ...(await checkModel(workspace)),
    ...(await checkSources(workspace)),
  ];
}

async function checkIndex(workspace: Workspace): Promise<readonly Repairable[]> {
  if (isOnServer(workspace.settings)) {
    const { checkServer } = await import('./server-checks.js');
    return checkServer(workspace);
  }
  const { checkIndexFile } = await import('./index-checks.js');
  return [...checkLock(workspace), ...(await checkIndexFile(workspace))];
}
