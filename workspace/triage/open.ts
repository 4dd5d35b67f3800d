/** Everything triage, feedback and replay need of an opened vault. */
import type { Scorer } from '../../lib/scoring/scorer.js';
import { messageOf } from '../../runner/errors.js';
import type { Observer } from '../../runner/observe.js';
import { type Plan, stageSteps } from '../../runner/plan.js';
import { ingestRouting, type Routing } from '../routing.js';
import type { Workspace } from '../workspace.js';
import type { TriageTools } from './actions.js';
import { detectFeedback, type Feedback } from './feedback.js';
import { fileSignal, foldersOf } from './places.js';

export interface Triage {
  readonly tools: TriageTools;
  readonly scorer: Scorer;
  readonly routing: Routing;
  readonly domains: readonly string[];
  /** Brings ledger and labels up to date with what the user did to the notes. */
  learn(): Promise<Feedback>;
}

/** The pipeline whose folders, weights and thresholds count. */
const INTAKE = 'ingest';

export async function openTriage(workspace: Workspace): Promise<Triage> {
  const { resources, clock } = workspace;
  const plan: Plan = workspace.plan(INTAKE);
  const [ledger, vault, scorer] = await Promise.all([
    resources.use('ledger'),
    resources.use('vault'),
    resources.use('scorer'),
  ]);
  const folders = foldersOf(plan);
  const tools: TriageTools = {
    ledger,
    vault,
    clock,
    folders,
    fileSignal: (signal) => fileSignal(plan, signal, { resources, clock }),
  };
  const domains = Object.keys(scorer.settings.domains.lexicon);
  const { deleteThreshold } = workspace.settings.index;
  return {
    tools,
    scorer,
    routing: ingestRouting(() => plan, scorer),
    domains,
    learn: () => detectFeedback({ ledger, vault, clock, folders, domains, deleteThreshold }),
  };
}

/**
 * Before a pipeline that routes signals runs: learns from what the user did to the notes of earlier runs, so that a
 * deleted note is known as deleted before its item comes again. What goes wrong here is told and stops nothing.
 */
export async function learnBefore(plan: Plan, workspace: Workspace, observers: readonly Observer[]): Promise<void> {
  if (![...stageSteps(plan.steps)].some(({ stage }) => stage.name === 'route')) return;
  const tell = (message: string) => observers.forEach((observer) => void observer.notice?.('feedback', message));
  try {
    const { doubt } = await (await openTriage(workspace)).learn();
    if (doubt !== undefined) tell(doubt);
  } catch (error) {
    tell(`What you did to your notes could not be learned from: ${messageOf(error)}`);
  }
}
