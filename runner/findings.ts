/** Collects what is wrong with one pipeline file, each finding with its line, step and remedy. */
import { type LineCounter, type Node, parseDocument } from 'yaml';
import { ConfigError } from './errors.js';
import { substitute } from './yaml-config.js';

/** The state one load shares between its readers: findings, line numbers, environment. */
export class Findings {
  readonly errors: ConfigError[] = [];

  constructor(
    private readonly file: string,
    readonly lines: LineCounter,
    readonly env: Readonly<Record<string, string | undefined>>,
  ) {}

  add(code: string, message: string, line?: number, step?: string, remedy?: string): void {
    this.errors.push(
      new ConfigError(code, message, {
        file: this.file,
        ...(line === undefined ? {} : { line }),
        ...(step === undefined ? {} : { step }),
        ...(remedy ? { remedy } : {}),
      }),
    );
  }

  /** 1-based line of a node; 1 when the file does not hold it. */
  line(node: unknown): number {
    const range = (node as { range?: [number, number, number] | null } | null | undefined)?.range;
    return range ? this.lines.linePos(range[0]).line : 1;
  }

  /** Environment substitution; an unset variable without default becomes a finding. */
  substituted(value: unknown, node: Node | undefined, step?: string): unknown {
    return substitute(value, this.env, (name) =>
      this.add(
        'environment',
        `The environment variable ${name} is not set.`,
        this.line(node),
        step,
        `Set it, or give a default: \${${name}:-value}.`,
      ),
    );
  }
}

/** One `--set step.key=value`. */
export interface Override {
  readonly step: string;
  readonly key: string;
  readonly value: unknown;
  used: boolean;
}

/** Parses `--set` texts; the value is YAML, so `0.6`, `true` and `[a, b]` mean what they look like. */
export function parseOverrides(texts: readonly string[], findings: Findings): Override[] {
  return texts.flatMap((text) => {
    const match = /^([\w-]+(?:\.[a-z-]+\.\d+)?)\.([\w.-]+)=(.*)$/s.exec(text);
    if (match?.[1] && match[2]) {
      return [{ step: match[1], key: match[2], value: parseDocument(match[3] ?? '').toJSON() as unknown, used: false }];
    }
    findings.add(
      'override',
      `--set "${text}" is not step.key=value.`,
      undefined,
      undefined,
      'Example: --set route.write=0.6',
    );
    return [];
  });
}

/** Writes an override into a stage's raw settings; `key` may be dotted. The given object is changed. */
export function applyOverride(raw: Record<string, unknown>, override: Override): void {
  const keys = override.key.split('.');
  const last = keys.pop() ?? '';
  let at = raw;
  for (const key of keys) {
    const inner = at[key];
    const next: Record<string, unknown> = typeof inner === 'object' && inner !== null ? { ...inner } : {};
    at[key] = next;
    at = next;
  }
  at[last] = override.value;
  override.used = true;
}
