/** All checks in the order a person would make them: the ground first, then what stands on it. */
import type { Workspace } from '../workspace.js';
import { checkDisk, checkLock, checkModel, checkPipelines, checkSources, checkVault, type Finding } from './checks.js';
import { checkIndex } from './index-checks.js';

/** Examines vault, settings, index, model and sources. With `fix` the index is repaired where that is safe. */
export async function examine(workspace: Workspace, fix: boolean): Promise<readonly Finding[]> {
  return [
    ...(await checkVault(workspace)),
    ...(await checkPipelines(workspace)),
    ...checkDisk(workspace),
    ...checkLock(workspace),
    ...(await checkIndex(workspace, fix)),
    ...(await checkModel(workspace)),
    ...(await checkSources(workspace)),
  ];
}
