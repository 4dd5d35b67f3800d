/** Findings that know how to be put right, and the repairs that cannot lose anything. */
import type { Workspace } from '../workspace.js';
import type { Finding } from './checks.js';

/** A finding with the way to put it right; `reindex` asks for an index run afterwards. */
export interface Repairable extends Finding {
  readonly repair?: (workspace: Workspace) => Promise<{ readonly reindex: boolean }>;
}

/** For what an index run puts right. */
export const reindex = async (): Promise<{ reindex: boolean }> => ({ reindex: true });

/** Repairs what can be repaired, marks it so, and runs the index once at the end if any repair asks for it. */
export async function repairAll(workspace: Workspace, findings: readonly Repairable[]): Promise<Finding[]> {
  const repaired: Finding[] = [];
  let wanted = false;
  for (const { repair, ...finding } of findings) {
    if (finding.ok || !repair) {
      repaired.push(finding);
      continue;
    }
    const result = await repair(workspace);
    wanted ||= result.reindex;
    repaired.push({ ...finding, fixed: true });
  }
  if (wanted) await workspace.run('index', { chain: false });
  return repaired;
}

/** The findings as they are reported. */
export function withoutRepairs(findings: readonly Repairable[]): Finding[] {
  return findings.map(({ repair: _, ...finding }) => finding);
}
