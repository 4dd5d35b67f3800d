/** Where the vault's own ingest pipeline puts notes: folders of `write-note`, and the steps that turn a signal into a note. */

import { PipelineError } from '../../runner/errors.js';
import type { WrittenNote } from '../../runner/items.js';
import { makeItem, type Signal } from '../../runner/items.js';
import { type Plan, type PlanStep, stageSteps } from '../../runner/plan.js';
import type { Clock, Resources } from '../../runner/resources.js';
import { runPlan } from '../../runner/run.js';

export interface SignalFolders {
  /** With `{domain}`. */
  readonly write: string;
  readonly review: string;
}

export const DEFAULT_FOLDERS: SignalFolders = { write: '05-signals/{domain}', review: '00-inbox' };

/** Folders of a plan's `write-note` step. */
export function foldersOf(plan: Plan): SignalFolders {
  for (const { stage, config } of stageSteps(plan.steps))
    if (stage.name === 'write-note') return config as SignalFolders;
  return DEFAULT_FOLDERS;
}

/** Vault folder of a domain. */
export function folderOf(folders: SignalFolders, domain: string): string {
  return folders.write.replaceAll('{domain}', domain);
}

/** The domain whose folder a note lies in (or below); undefined outside the signal folders. */
export function domainOfPath(folders: SignalFolders, path: string, domains: readonly string[]): string | undefined {
  return domains.find((domain) => path.startsWith(`${folderOf(folders, domain)}/`));
}

/** Files a signal as the pipeline would have: runs the steps after `route` on it. Gives the note's path. */
export async function fileSignal(
  plan: Plan,
  signal: Signal,
  run: { readonly resources: Resources; readonly clock: Clock },
): Promise<string> {
  const at = plan.steps.findIndex((step) => isStage(step, 'route'));
  const steps = plan.steps.slice(at + 1);
  if (at < 0 || steps.length === 0)
    throw new PipelineError(
      'no-filing-steps',
      `The pipeline "${plan.name}" has no steps after \`route\` that write a note.`,
      {
        file: plan.file,
        remedy: 'Add render-note and write-note after route.',
      },
    );
  const tail: Plan = { ...plan, steps, input: 'Signal', followedBy: [] };
  const item = makeItem('Signal', signal, signal.article.key);
  const { items, report } = await runPlan<'WrittenNote'>(tail, { ...run, input: [item], collect: true });
  const note = items[0]?.data as WrittenNote | undefined;
  if (note) return note.path;
  const [failure] = report.failed;
  const dropped = Object.keys(report.dropped).join(', ');
  throw new PipelineError('not-filed', failure?.reason ?? `No note was written (${dropped || 'no reason given'}).`);
}

function isStage(step: PlanStep, name: string): boolean {
  return step.type === 'stage' && step.stage.name === name;
}
