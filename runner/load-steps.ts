/** Reads the `steps` of a pipeline file: stages, parallel branches, their settings. */
import { isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { z } from 'zod';
import { suggest } from './errors.js';
import { applyOverride, type Findings, type Override } from './findings.js';
import type { Branch, OnError, ParallelStep, PlanStep, StageStep } from './plan.js';
import type { AnyStage, StageRegistry } from './stage.js';
import { configErrors, lineOf } from './yaml-config.js';

const ON_ERROR: readonly OnError[] = ['skip', 'retry', 'stop'];

export class StepReader {
  constructor(
    private readonly findings: Findings,
    private readonly registry: StageRegistry,
    private readonly untrusted: ReadonlySet<string>,
    private readonly overrides: readonly Override[],
  ) {}

  read(nodes: readonly Node[], prefix: string, onError: OnError): PlanStep[] {
    const steps: PlanStep[] = [];
    nodes.forEach((node, i) => {
      const step = this.step(node, `${prefix}${i + 1}`, onError);
      if (step) steps.push(step);
    });
    return steps;
  }

  private step(node: Node, position: string, onError: OnError): PlanStep | undefined {
    const line = this.findings.line(node);
    const where = `step ${position}`;
    if (isScalar(node) && typeof node.value === 'string')
      return this.stageStep(node.value, undefined, line, position, onError);
    if (!isMap(node)) {
      this.findings.add(
        'step-shape',
        'A step is one stage name with its settings.',
        line,
        where,
        'Write `- stage-name: {}`.',
      );
      return undefined;
    }
    const pairs = node.items as Pair<Node, Node>[];
    const parallel = pairs.find((p) => isScalar(p.key) && p.key.value === 'parallel');
    if (parallel) return this.parallelStep(node, parallel, line, position, onError);
    const [first, ...rest] = pairs;
    if (!first || rest.length > 0) {
      this.findings.add(
        'step-shape',
        'A step names exactly one stage.',
        line,
        where,
        'Give each stage its own list item; indent its settings under it.',
      );
      return undefined;
    }
    return this.stageStep(
      String(isScalar(first.key) ? first.key.value : ''),
      first.value,
      this.findings.line(first.key),
      position,
      onError,
    );
  }

  private parallelStep(
    node: YAMLMap,
    parallel: Pair<Node, Node>,
    line: number,
    position: string,
    onError: OnError,
  ): ParallelStep | undefined {
    const where = `step ${position}`;
    for (const pair of node.items) {
      const key = String(isScalar(pair.key) ? pair.key.value : '');
      if (key !== 'parallel' && key !== 'atLeast')
        this.findings.add(
          'unknown-key',
          `Unknown key "${key}" beside parallel.`,
          this.findings.line(pair.key),
          where,
          suggest(key, ['parallel', 'atLeast']),
        );
    }
    if (!isMap(parallel.value) || parallel.value.items.length === 0) {
      this.findings.add(
        'parallel-shape',
        'parallel must name its branches.',
        line,
        where,
        'Write `parallel: { name: { steps: [ … ] } }`.',
      );
      return undefined;
    }
    const branches: Branch[] = [];
    for (const pair of parallel.value.items as Pair<Node, Node>[]) {
      const name = String(isScalar(pair.key) ? pair.key.value : '');
      const list = isMap(pair.value) ? pair.value.get('steps', true) : undefined;
      if (!isMap(pair.value) || !isSeq(list) || list.items.length === 0) {
        this.findings.add(
          'parallel-shape',
          `Branch "${name}" has no steps.`,
          this.findings.line(pair.key),
          where,
          'Give it `steps: [ … ]`.',
        );
        continue;
      }
      for (const inner of pair.value.items) {
        const key = String(isScalar(inner.key) ? inner.key.value : '');
        if (key !== 'steps' && key !== 'optional')
          this.findings.add(
            'unknown-key',
            `Unknown key "${key}" in branch "${name}".`,
            this.findings.line(inner.key),
            where,
            suggest(key, ['steps', 'optional']),
          );
      }
      branches.push(
        Object.freeze({
          name,
          optional: pair.value.get('optional') === true,
          steps: Object.freeze(this.read(list.items as Node[], `${position}.${name}.`, onError)),
        }),
      );
    }
    const atLeast = node.get('atLeast') ?? 0;
    if (typeof atLeast !== 'number' || !Number.isInteger(atLeast) || atLeast < 0 || atLeast > branches.length) {
      this.findings.add('parallel-shape', `atLeast must be a whole number from 0 to ${branches.length}.`, line, where);
    }
    return Object.freeze({
      type: 'parallel',
      position,
      line,
      branches: Object.freeze(branches),
      atLeast: Number(atLeast),
    });
  }

  private stageStep(
    name: string,
    settings: Node | undefined | null,
    line: number,
    position: string,
    onErrorDefault: OnError,
  ): StageStep | undefined {
    const known = this.registry.get(name);
    const stage = known ?? unknownStage(name);
    const where = `step ${position}`;
    if (this.untrusted.has(name)) {
      const message = `Stage "${name}" is the vault's own code, and the vault is not trusted.`;
      this.findings.add('untrusted-stage', message, line, where, 'Read .pipeline/stages/, then run `pipeline trust`.');
      return { type: 'stage', position, line, stage: unknownStage(name), config: undefined, onError: onErrorDefault };
    }
    if (!known) {
      this.findings.add(
        'unknown-stage',
        `There is no stage named "${name}".`,
        line,
        where,
        suggest(name, [...this.registry.keys(), 'parallel']) || 'See `pipeline stages`.',
      );
      return { type: 'stage', position, line, stage, config: undefined, onError: onErrorDefault };
    }
    if (settings && !isMap(settings) && !(isScalar(settings) && settings.value === null)) {
      this.findings.add(
        'step-shape',
        `The settings of "${name}" must be a map.`,
        line,
        where,
        `Write \`${name}: { key: value }\` or \`${name}: {}\`.`,
      );
      return undefined;
    }
    const map = isMap(settings) ? settings : undefined;
    const onError = this.onError(map?.get('onError', true)) ?? onErrorDefault;
    const raw = (map ? this.findings.substituted(map.toJSON(), map, where) : {}) as Record<string, unknown>;
    delete raw.onError;
    this.applyOverrides(stage, position, raw);
    const parsed = stage.config.safeParse(raw);
    // A step with bad settings stays in the list, so that its neighbours are still checked.
    if (!parsed.success) {
      for (const found of configErrors(parsed.error, stage.config)) {
        this.findings.add(
          found.code,
          `${name}: ${found.message}`,
          lineOf(map, found.path, this.findings.lines) ?? line,
          where,
          found.remedy,
        );
      }
    }
    return Object.freeze({ type: 'stage', position, line, stage, config: parsed.data, onError });
  }

  private applyOverrides(stage: AnyStage, position: string, raw: Record<string, unknown>): void {
    for (const override of this.overrides) {
      if (override.step === stage.name || override.step === position) applyOverride(raw, override);
    }
  }

  onError(node: unknown): OnError | undefined {
    if (!isScalar(node)) return undefined;
    const found = ON_ERROR.find((o) => o === node.value);
    if (!found)
      this.findings.add(
        'on-error',
        `onError is "${String(node.value)}".`,
        this.findings.line(node),
        undefined,
        `It can be ${ON_ERROR.join(', ')}.`,
      );
    return found;
  }
}

/** Stands for a stage that does not exist, so that the steps around it are still checked: it fits anywhere. */
function unknownStage(name: string): AnyStage {
  return {
    name,
    summary: '',
    takes: 'any',
    gives: 'any' as AnyStage['gives'],
    mode: 'each',
    config: z.unknown(),
    effects: [],
    needs: [],
    create: () => ({ run: () => undefined }),
  };
}
