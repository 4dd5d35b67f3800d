/** How the schedule does: a file others can watch, a log, and a word when a job keeps failing. */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { appendLog } from '../lib/rotate-log.js';
import type { HistoryEntry } from '../lib/schedule/engine.js';
import { writeAtomic } from '../lib/vault/atomic-write.js';
import { messageOf } from '../runner/errors.js';
import type { ScheduleHistory, VaultJob } from './schedule.js';
import type { Workspace } from './workspace.js';

/** What a webhook or a command is told. */
export interface FailureNote {
  readonly job: string;
  readonly failures: number;
  readonly reason: string;
  readonly vault: string;
}

/** Sends notes; replaced in tests. */
export interface Notifiers {
  webhook(url: string, note: FailureNote): Promise<void>;
  command(argv: readonly string[], note: FailureNote): Promise<void>;
}

/** A program that does not end is not waited for longer. */
const COMMAND_MS = 30_000;

export class ScheduleHealth {
  private readonly failures = new Map<string, number>();
  private readonly last = new Map<string, HistoryEntry>();
  readonly file: string;
  private readonly log: string;

  constructor(
    private readonly workspace: Workspace,
    private readonly jobs: readonly VaultJob[],
    history: ScheduleHistory,
    private readonly notifiers: Notifiers = realNotifiers(workspace),
  ) {
    this.file = join(dirname(history.file), 'schedule-health.json');
    this.log = join(dirname(history.file), 'schedule.log');
    for (const entry of history.read()) this.count(entry);
  }

  /** Call after each record. Never throws: a health file that cannot be written must not stop the schedule. */
  async note(entry: HistoryEntry): Promise<void> {
    const failures = this.count(entry);
    const { logBytes: bytes, logFiles: files } = this.workspace.settings.retention;
    const scrubber = await this.workspace.resources.use('scrubber');
    const reason = scrubber.scrub(entry.reason ?? '').text;
    await this.attempt('log', () =>
      appendLog(
        this.log,
        `${this.now()} ${entry.job} ${entry.status}${reason ? `: ${reason.replace(/\s+/g, ' ')}` : ''}`,
        { bytes, files },
      ),
    );
    await this.write();
    const job = this.jobs.find(({ name }) => name === entry.job);
    if (entry.status !== 'failed' || !job || failures % job.onFailure.after !== 0) return;
    const note: FailureNote = { job: entry.job, failures, reason, vault: this.workspace.vaultDir };
    const { webhook, command } = job.onFailure;
    if (webhook !== undefined) await this.attempt('webhook', () => this.notifiers.webhook(webhook, note));
    if (command !== undefined) await this.attempt('command', () => this.notifiers.command(command, note));
  }

  /** Writes the health file: alive, and how each job stands. */
  async write(): Promise<void> {
    const jobs = this.jobs.map(({ name, occurrences }) => {
      const entry = this.last.get(name);
      const next = occurrences.next(this.workspace.clock.now());
      return {
        job: name,
        ok: (this.failures.get(name) ?? 0) === 0,
        failures: this.failures.get(name) ?? 0,
        last: entry ? { status: entry.status, due: entry.due, finished: entry.finished ?? null } : null,
        next: next === undefined ? null : new Date(next).toISOString(),
      };
    });
    const health = { updated: this.now(), pid: process.pid, ok: jobs.every(({ ok }) => ok), jobs };
    await this.attempt('health', () => writeAtomic(this.file, `${JSON.stringify(health, undefined, 2)}\n`));
  }

  private count(entry: HistoryEntry): number {
    if (entry.status === 'ok') this.failures.set(entry.job, 0);
    if (entry.status === 'failed') this.failures.set(entry.job, (this.failures.get(entry.job) ?? 0) + 1);
    if (entry.status === 'ok' || entry.status === 'failed' || entry.status === 'interrupted')
      this.last.set(entry.job, entry);
    return this.failures.get(entry.job) ?? 0;
  }

  private now(): string {
    return new Date(this.workspace.clock.now()).toISOString();
  }

  private async attempt(what: string, work: () => unknown): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (what === 'log') return;
      const { logBytes: bytes, logFiles: files } = this.workspace.settings.retention;
      const scrubber = await this.workspace.resources.use('scrubber');
      const said = scrubber.scrub(messageOf(error)).text.replace(/\s+/g, ' ');
      await this.attempt('log', () => appendLog(this.log, `${this.now()} ${what} failed: ${said}`, { bytes, files }));
    }
  }
}

function realNotifiers(workspace: Workspace): Notifiers {
  return {
    async webhook(url, note) {
      if (workspace.offline) throw new Error('offline: nothing was sent');
      trusted(workspace, url);
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': workspace.settings.http.userAgent },
        body: JSON.stringify(note),
        redirect: 'error',
        signal: AbortSignal.timeout(workspace.settings.http.timeout),
      });
      if (!answer.ok) throw new Error(`the webhook answered ${answer.status}`);
    },
    command([program = '', ...args], note) {
      trusted(workspace, program);
      return new Promise<void>((done, fail) => {
        const child = spawn(program, args, { stdio: ['pipe', 'ignore', 'ignore'], timeout: COMMAND_MS });
        child.on('error', fail);
        child.on('close', (code) =>
          code === 0 ? done() : fail(new Error(`${program} ended with ${code ?? 'a signal'}`)),
        );
        child.stdin.on('error', () => undefined);
        child.stdin.end(JSON.stringify(note));
      });
    },
  };
}

/** A vault may be a cloned repository: its settings name a program or an address only once the user said that they may. */
function trusted(workspace: Workspace, what: string): void {
  if (!workspace.trusted)
    throw new Error(
      `"${what}" was not used: this vault is not trusted. Run \`pipeline trust\` if you wrote its settings.`,
    );
}
