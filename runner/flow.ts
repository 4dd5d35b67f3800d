/** Checks that neighbouring stages fit: what one gives, the next must take. */
import type { Kind } from './items.js';
import type { ParallelStep, PlanStep, StageStep } from './plan.js';

type FlowKind = Kind | 'nothing' | 'any';
type Fail = (code: string, message: string, step: PlanStep, remedy: string) => void;

export interface Flow {
  /** What the pipeline must be given: `nothing` when it starts with a source. */
  readonly input: FlowKind;
  readonly output: FlowKind;
}

/**
 * Walks the steps and reports every misfit. A source may stand anywhere its kind fits: it appends its items to the
 * stream, so several sources can follow one another.
 */
export function checkFlow(steps: readonly PlanStep[], fail: Fail): Flow {
  const [first] = steps;
  const input = first ? needed(first) : 'nothing';
  let current: FlowKind = input;
  let before = 'the input';
  for (const step of steps) {
    current =
      step.type === 'stage' ? passStage(step, current, before, fail) : passParallel(step, current, before, fail);
    before = step.type === 'stage' ? `"${step.stage.name}"` : 'the parallel step';
  }
  return { input, output: current };
}

function needed(step: PlanStep): FlowKind {
  if (step.type === 'stage') return step.stage.mode === 'source' ? 'nothing' : step.stage.takes;
  for (const branch of step.branches) {
    const [first] = branch.steps;
    if (first) return needed(first);
  }
  return 'nothing';
}

function passStage(step: StageStep, current: FlowKind, before: string, fail: Fail): FlowKind {
  const { name, mode, takes, gives } = step.stage;
  if (mode === 'source') {
    if (current !== 'nothing' && current !== gives) {
      fail(
        'wrong-neighbour',
        `Source "${name}" gives ${gives}, but ${before} gives ${current}.`,
        step,
        'Sources that follow one another must give the same kind.',
      );
    }
    return gives as FlowKind;
  }
  if (current === 'nothing') {
    fail(
      'wrong-neighbour',
      `Stage "${name}" takes ${takes}, but ${before} gives nothing.`,
      step,
      'Put it before the stage that ends the stream.',
    );
  } else if (takes !== 'any' && current !== 'any' && takes !== current) {
    fail(
      'wrong-neighbour',
      `Stage "${name}" takes ${takes}, but ${before} gives ${current}.`,
      step,
      `Put a stage between them that turns ${current} into ${takes}; see \`pipeline stages\`.`,
    );
  }
  return gives === 'same' ? current : gives;
}

function passParallel(step: ParallelStep, current: FlowKind, before: string, fail: Fail): FlowKind {
  let output: FlowKind | undefined;
  for (const branch of step.branches) {
    let at = current;
    let last = before;
    for (const inner of branch.steps) {
      at = inner.type === 'stage' ? passStage(inner, at, last, fail) : passParallel(inner, at, last, fail);
      last = inner.type === 'stage' ? `"${inner.stage.name}"` : 'the parallel step';
    }
    if (output !== undefined && at !== output) {
      fail(
        'wrong-neighbour',
        `Branch "${branch.name}" ends with ${at}, the others with ${output}.`,
        step,
        'All branches must give the same kind.',
      );
    }
    output ??= at;
  }
  return output ?? 'nothing';
}
