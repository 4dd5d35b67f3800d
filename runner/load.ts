/** Turns a pipeline file into a frozen plan, or into a full list of what is wrong with it, each with line and remedy. */
import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { type ConfigError, ConfigErrors, suggest } from './errors.js';
import { Findings, type Override, parseOverrides } from './findings.js';
import { checkFlow } from './flow.js';
import { StepReader } from './load-steps.js';
import { type Plan, type PlanStep, stageSteps } from './plan.js';
import type { StageRegistry } from './stage.js';
import { parseDuration } from './units.js';

export interface LoadOptions {
  readonly registry: StageRegistry;
  /** Stages of an untrusted vault: naming one is an error that says how to trust it. */
  readonly untrusted?: ReadonlySet<string>;
  /** Environment for `${NAME}`; nothing is read from the process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** `--set step.key=value`: step name or position, dotted key, YAML value. */
  readonly overrides?: readonly string[];
  /** Names of resources that exist; when given, a stage that needs another is an error. */
  readonly resources?: ReadonlySet<string>;
}

export interface PipelineSource {
  /** Shown in errors. */
  readonly file: string;
  readonly text: string;
}

export const TOP_KEYS = [
  'version',
  'name',
  'summary',
  'mode',
  'readOnly',
  'offline',
  'deadline',
  'concurrency',
  'onError',
  'steps',
  'then',
] as const;

/** Loads and checks a pipeline. Throws `ConfigErrors` with everything found, not only the first problem. */
export function loadPipeline(source: PipelineSource, options: LoadOptions): Plan {
  const { plan, errors } = readPipeline(source, options);
  if (!plan) throw new ConfigErrors(errors);
  return plan;
}

/** All findings of a pipeline file, in line order; empty when it loads. */
export function checkPipeline(source: PipelineSource, options: LoadOptions): readonly ConfigError[] {
  return readPipeline(source, options).errors;
}

function readPipeline(source: PipelineSource, options: LoadOptions): { plan?: Plan; errors: readonly ConfigError[] } {
  const lines = new LineCounter();
  const findings = new Findings(source.file, lines, options.env ?? {});
  const doc = parseDocument(source.text, { lineCounter: lines, prettyErrors: false });
  resolveAliases(doc);
  for (const error of doc.errors) {
    findings.add(
      'yaml',
      `${error.message}.`,
      lines.linePos(error.pos[0]).line,
      undefined,
      'Fix the YAML at this line.',
    );
  }
  let plan: Plan | undefined;
  if (doc.errors.length === 0) {
    if (isMap(doc.contents)) plan = readTop(doc.contents, source.file, findings, options);
    else findings.add('pipeline-shape', 'A pipeline file is a map with name and steps.', 1);
  }
  const errors = findings.errors.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  return plan && errors.length === 0 ? { plan: Object.freeze(plan), errors } : { errors };
}

/** More than any pipeline has use for; a file that folds itself into millions of steps stops here. */
const MAX_ALIASES = 100;

/** Two steps may share a setting by `&name` and `*name`. What leads into itself stays, and is refused where it stands. */
function resolveAliases(doc: Document): void {
  let left = MAX_ALIASES;
  visit(doc, {
    Alias: (_, alias, path) => {
      const node = alias.resolve(doc);
      return node && !path.includes(node) && left-- > 0 ? node : undefined;
    },
  });
}

function readTop(top: YAMLMap, file: string, findings: Findings, options: LoadOptions): Plan | undefined {
  for (const pair of top.items) {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    if (!(TOP_KEYS as readonly string[]).includes(key)) {
      findings.add('unknown-key', `Unknown key "${key}".`, findings.line(pair.key), undefined, suggest(key, TOP_KEYS));
    }
  }
  const overrides = parseOverrides(options.overrides ?? [], findings);
  const reader = new StepReader(findings, options.registry, options.untrusted ?? new Set(), overrides);
  const header = readHeader(top, findings);
  const onError = reader.onError(top.get('onError', true)) ?? 'skip';
  const list = top.get('steps', true);
  if (!isSeq(list) || list.items.length === 0) {
    findings.add('steps', 'steps must list at least one stage.', findings.line(list));
    return undefined;
  }
  const steps = reader.read(list.items as Node[], '', onError);
  reportUnusedOverrides(overrides, steps, findings);
  const { input, output } = checkFlow(steps, (code, message, step, remedy) =>
    findings.add(code, message, step.line, `step ${step.position}`, remedy),
  );
  checkEffects(steps, header, findings, options);
  const next = top.get('then', true);
  const followedBy = isSeq(next) ? next.items.map((n) => String(isScalar(n) ? n.value : n)) : [];
  return { ...header, file, input, output, steps: Object.freeze(steps), followedBy: Object.freeze(followedBy) };
}

type Header = Pick<Plan, 'name' | 'summary' | 'mode' | 'readOnly' | 'offline' | 'deadlineMs' | 'concurrency'>;

/** Scalar settings above the steps. Bad ones become findings and get a harmless value so that reading can go on. */
function readHeader(top: YAMLMap, findings: Findings): Header {
  const value = (key: (typeof TOP_KEYS)[number]): unknown => {
    const node = top.get(key, true);
    return isScalar(node) ? findings.substituted(node.value, node) : undefined;
  };
  const fail = (key: (typeof TOP_KEYS)[number], message: string, remedy?: string): void =>
    findings.add(key, message, findings.line(top.get(key, true)), undefined, remedy);

  const version = value('version');
  if (version !== 1) fail('version', `version is ${String(version)}; this release reads 1.`, 'Write `version: 1`.');
  const name = value('name');
  if (typeof name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(name)) {
    fail('name', 'name must be kebab-case, such as `ingest` or `team-search`.');
  }
  const mode = value('mode') ?? 'batch';
  if (mode !== 'batch' && mode !== 'query') fail('mode', `mode is "${String(mode)}"; it can be batch or query.`);
  const deadline = value('deadline');
  const deadlineMs = typeof deadline === 'string' || typeof deadline === 'number' ? parseDuration(deadline) : undefined;
  if (deadline !== undefined && deadlineMs === undefined) {
    fail('deadline', `deadline "${String(deadline)}" is not a duration.`, 'Write it as 2s or 500ms.');
  }
  const concurrency = value('concurrency') ?? 1;
  const countable = typeof concurrency === 'number' && Number.isInteger(concurrency);
  if (!countable || concurrency < 1 || concurrency > 64) {
    fail('concurrency', 'concurrency must be a whole number from 1 to 64.');
  }
  return {
    name: String(name),
    summary: String(value('summary') ?? ''),
    mode: mode === 'query' ? 'query' : 'batch',
    readOnly: value('readOnly') === true,
    offline: value('offline') === true,
    deadlineMs,
    concurrency: countable ? concurrency : 1,
  };
}

function reportUnusedOverrides(overrides: readonly Override[], steps: readonly PlanStep[], findings: Findings): void {
  const names = [...new Set([...stageSteps(steps)].map((s) => s.stage.name))];
  for (const { step, used } of overrides) {
    if (used) continue;
    const message = `--set names the step "${step}", which this pipeline does not have.`;
    findings.add('override', message, undefined, undefined, suggest(step, names));
  }
}

/** Promises the file makes (read-only, offline) and resources it needs, against what its stages declare. */
function checkEffects(steps: readonly PlanStep[], header: Header, findings: Findings, options: LoadOptions): void {
  for (const { stage, line, position } of stageSteps(steps)) {
    const fail = (code: string, message: string, remedy: string): void =>
      findings.add(code, message, line, `step ${position}`, remedy);
    if (header.readOnly && stage.effects.includes('writes')) {
      fail(
        'read-only',
        `Stage "${stage.name}" writes, but the pipeline says readOnly: true.`,
        'Remove one of the two.',
      );
    }
    if (header.offline && stage.effects.includes('network')) {
      fail(
        'offline',
        `Stage "${stage.name}" uses the network, but the pipeline says offline: true.`,
        'Remove one of the two.',
      );
    }
    for (const need of stage.needs) {
      if (options.resources && !options.resources.has(need)) {
        const message = `Stage "${stage.name}" needs "${need}", which is not available here.`;
        fail('resource-missing', message, 'Name a vault with --vault, or remove the stage.');
      }
    }
  }
}
