/** Every error the framework makes: a stable code, what happened, where, and what to do about it. */
import { closest, distance } from 'fastest-levenshtein';

export interface ErrorDetails {
  /** File the error is about. */
  readonly file?: string;
  /** 1-based line in `file`. */
  readonly line?: number;
  /** Step number (1-based) or name in a pipeline. */
  readonly step?: string;
  /** What the user can do. One sentence, imperative. */
  readonly remedy?: string;
  readonly cause?: unknown;
  /** Worth trying again (network trouble, a busy database). */
  readonly transient?: boolean;
  /** No later item can succeed either (index locked, disk full): the run stops whatever `onError` says. */
  readonly fatal?: boolean;
  /** Wait at least this long before trying again, milliseconds. */
  readonly retryAfterMs?: number;
}

/** Base of all errors that reach a user. `exitCode` follows the CLI contract: 2 usage or configuration, 3 could not run. */
export class PipelineError extends Error {
  readonly code: string;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly step: string | undefined;
  readonly remedy: string | undefined;
  readonly transient: boolean;
  readonly fatal: boolean;
  readonly retryAfterMs: number | undefined;
  readonly exitCode: 2 | 3;

  constructor(code: string, message: string, details: ErrorDetails = {}, exitCode: 2 | 3 = 3) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = code;
    this.file = details.file;
    this.line = details.line;
    this.step = details.step;
    this.remedy = details.remedy;
    this.transient = details.transient ?? false;
    this.fatal = details.fatal ?? false;
    this.retryAfterMs = details.retryAfterMs;
    this.exitCode = exitCode;
  }
}

/** A wrong call, pipeline file or setting: exit code 2. */
export class ConfigError extends PipelineError {
  constructor(code: string, message: string, details: ErrorDetails = {}) {
    super(code, message, details, 2);
  }
}

/** Several findings of one check, each a `ConfigError`; the message lists them all. */
export class ConfigErrors extends ConfigError {
  readonly errors: readonly ConfigError[];
  constructor(errors: readonly ConfigError[]) {
    const [first] = errors;
    super(
      first?.code ?? 'config',
      errors.map(describeError).join('\n'),
      first?.file === undefined ? {} : { file: first.file },
    );
    this.errors = errors;
  }
}

/** A stage threw: carries stage, item and the original error as `cause`. */
export class StageError extends PipelineError {
  readonly stage: string;
  readonly itemId: string | undefined;
  constructor(stage: string, itemId: string | undefined, cause: unknown) {
    const inner = cause instanceof PipelineError ? cause : undefined;
    super(inner?.code ?? 'stage-failed', messageOf(cause), {
      cause,
      step: stage,
      ...(inner?.remedy === undefined ? {} : { remedy: inner.remedy }),
      ...(inner?.file === undefined ? {} : { file: inner.file }),
      ...(inner?.retryAfterMs === undefined ? {} : { retryAfterMs: inner.retryAfterMs }),
      transient: inner?.transient ?? isTransientNetworkError(cause),
      fatal: inner?.fatal ?? false,
    });
    this.stage = stage;
    this.itemId = itemId;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const TRANSIENT = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function isTransientNetworkError(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' && TRANSIENT.has(code);
}

/** `file:line: step N: message. Remedy.` with absent parts left out. */
export function describeError(error: unknown): string {
  if (!(error instanceof PipelineError)) return messageOf(error);
  const where = error.file ? `${error.file}${error.line ? `:${error.line}` : ''}: ` : '';
  const step = error.step ? `${error.step}: ` : '';
  return `${where}${step}${error.message}${error.remedy ? ` ${error.remedy}` : ''}`;
}

/** `Did you mean "x"?` for the nearest known name, or the list when nothing is near. */
export function suggest(wrong: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = closest(wrong, [...known]);
  const limit = Math.max(2, Math.floor(wrong.length / 3));
  if (distance(wrong, near) <= limit) return `Did you mean "${near}"?`;
  return known.length <= 24 ? `Known: ${known.join(', ')}.` : '';
}
