/** Observation of a run from outside the stages: events, counters, the report. */
import type { Item, Kind } from './items.js';
import type { Plan } from './plan.js';
import type { LogLevel } from './stage.js';

/** How an item left the pipeline. */
export interface Settled {
  /** The item as last seen: for a drop, with the data the dropping stage attached. */
  readonly item: Item;
  readonly outcome: 'out' | 'dropped' | 'failed';
  readonly stage: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly error?: unknown;
}

/** Receives what happens. Every method may be async; the runner waits, so that an acknowledgement is durable. */
export interface Observer {
  settled?(event: Settled): void | Promise<void>;
  /** A stage call ended: how many items in and out, how long. */
  stage?(event: { stage: string; position: string; in: number; out: number; ms: number }): void;
  log?(level: LogLevel, stage: string, message: string): void;
  notice?(code: string, message: string): void;
  /** A named result of a stage, as soon as it is known. */
  report?(key: string, value: unknown): void;
}

export interface StageStats {
  readonly name: string;
  in: number;
  out: number;
  ms: number;
}

export interface Failure {
  readonly id: string;
  readonly stage: string;
  readonly code: string;
  readonly reason: string;
}

export interface Notice {
  readonly code: string;
  readonly message: string;
}

/** What a run did; `--json` prints it (CLI.md). */
export interface RunReport {
  readonly pipeline: string;
  /** ISO 8601 UTC. */
  readonly started: string;
  readonly seconds: number;
  readonly in: number;
  readonly out: number;
  /** Items whose sink changed something on disk or in the store. */
  readonly written: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly failed: readonly Failure[];
  readonly stages: readonly Readonly<StageStats>[];
  readonly notices: readonly Notice[];
  /** Named results of stages (`ctx.report`). */
  readonly reports: Readonly<Record<string, unknown>>;
  /** True when the run was asked to stop before its source ended. */
  readonly interrupted: boolean;
}

export interface RunResult<K extends Kind = Kind> {
  readonly report: RunReport;
  /** What came out of the last step; empty for batch runs unless `collect` was set. */
  readonly items: readonly Item<K>[];
}

/** Collects the report while a run goes on. */
export class Recorder {
  readonly stats = new Map<string, StageStats>();
  readonly dropped: Record<string, number> = {};
  readonly failed: Failure[] = [];
  readonly notices: Notice[] = [];
  readonly reports: Record<string, unknown> = {};
  in = 0;
  out = 0;
  written = 0;
  interrupted = false;

  constructor(
    private readonly plan: Plan,
    private readonly startedMs: number,
  ) {}

  count(position: string, name: string, given: number, gave: number, ms: number): void {
    const stats = this.stats.get(position);
    if (stats) {
      stats.in += given;
      stats.out += gave;
      stats.ms += ms;
    } else this.stats.set(position, { name, in: given, out: gave, ms });
  }

  notice(code: string, message: string): boolean {
    if (this.notices.some((n) => n.code === code && n.message === message)) return false;
    this.notices.push({ code, message });
    return true;
  }

  finish(nowMs: number): RunReport {
    return {
      pipeline: this.plan.name,
      started: new Date(this.startedMs).toISOString(),
      seconds: Math.round(nowMs - this.startedMs) / 1000,
      in: this.in,
      out: this.out,
      written: this.written,
      dropped: this.dropped,
      failed: this.failed,
      stages: [...this.stats.entries()]
        .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
        .map(([, s]) => ({ ...s, ms: Math.round(s.ms * 1000) / 1000 })),
      notices: this.notices,
      reports: this.reports,
      interrupted: this.interrupted,
    };
  }
}
