/** Everything triage, feedback and replay need of an opened vault. */
import type { Scorer } from '../../lib/scoring/scorer.js';
import type { Plan } from '../../runner/plan.js';
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
