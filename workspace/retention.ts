/** What is old of all that is kept beside a vault: raw hook outputs, sessions, logs, run records, ledger texts. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isFull, type LogLimits, rotateLog } from '../lib/rotate-log.js';
import type { LedgerRow, Retention } from '../store/ledger.js';
import { ScheduleHistory } from './schedule.js';
import { ledgerIfAny } from './server.js';
import type { Workspace } from './workspace.js';

export interface Pruned {
  /** `hook-output`, `hook-session`, `log`, `run-record`, `ledger-row` or `ledger-text`. */
  readonly kind: string;
  readonly count: number;
  /** Bytes freed on disk, where they are files. */
  readonly bytes: number;
}

interface OldFile {
  readonly file: string;
  readonly bytes: number;
}

/** Finds what the settings call old, and removes it when `apply` is set. Notes and the index are never touched. */
export async function prune(workspace: Workspace, apply: boolean): Promise<Pruned[]> {
  const { settings, stateDir, clock } = workspace;
  const { retention } = settings;
  const now = clock.now();
  const outputs = oldFiles(join(stateDir, 'hooks', 'outputs'), now, retention.hookOutputs, retention.hookOutputBytes);
  const sessions = oldFiles(join(stateDir, 'hooks', 'sessions'), now, retention.hookSessions);
  if (apply) for (const { file } of [...outputs, ...sessions]) rmSync(file, { force: true });
  const limits = { bytes: retention.logBytes, files: retention.logFiles };
  const logs = [join(stateDir, 'hooks', 'hooks.log')].filter((file) => isFull(file, 0, limits));
  return [
    { kind: 'hook-output', count: outputs.length, bytes: total(outputs) },
    { kind: 'hook-session', count: sessions.length, bytes: total(sessions) },
    { kind: 'log', ...rotated(logs, limits, apply) },
    { kind: 'run-record', ...runRecords(workspace, now, apply) },
    ...(await ledgerItems(workspace, now, apply)),
  ];
}

const total = (files: readonly OldFile[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

/** Files older than `age`, and then the oldest of the rest until they are no more than `most` bytes together. */
function oldFiles(folder: string, now: number, age: number | undefined, most = Number.POSITIVE_INFINITY): OldFile[] {
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .map((name) => {
      const file = join(folder, name);
      const stat = statSync(file);
      return { file, bytes: stat.size, at: stat.mtimeMs };
    })
    .sort((a, b) => a.at - b.at);
  let left = total(files);
  return files.filter(({ at, bytes }) => {
    const old = (age !== undefined && now - at > age) || left > most;
    if (old) left -= bytes;
    return old;
  });
}

function rotated(logs: readonly string[], limits: LogLimits, apply: boolean): Omit<Pruned, 'kind'> {
  const bytes = logs.reduce(
    (sum, file) => sum + (statSync(`${file}.${limits.files}`, { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
  if (apply) for (const file of logs) rotateLog(file, limits);
  return { count: logs.length, bytes };
}

function runRecords(workspace: Workspace, now: number, apply: boolean): Omit<Pruned, 'kind'> {
  const { history: age } = workspace.settings.retention;
  if (age === undefined) return { count: 0, bytes: 0 };
  return new ScheduleHistory(workspace).forgetBefore(now - age, apply);
}

async function ledgerItems(workspace: Workspace, now: number, apply: boolean): Promise<Pruned[]> {
  const { keepRows, keepArticles } = workspace.settings.ledger;
  const before = (age: number | undefined) => (age === undefined ? undefined : new Date(now - age).toISOString());
  const [rowsBefore, articlesBefore] = [before(keepRows), before(keepArticles)];
  const retention: Retention = {
    outcome: ['skipped', 'duplicate'],
    ...(rowsBefore === undefined ? {} : { rowsBefore }),
    ...(articlesBefore === undefined ? {} : { articlesBefore }),
  };
  const ledger = await ledgerIfAny(workspace);
  if (!ledger) return [];
  let { rows, articles } = apply ? await ledger.retain(retention) : { rows: 0, articles: 0 };
  const isOld = (row: LedgerRow, limit: string | undefined): boolean => limit !== undefined && row.lastSeen < limit;
  if (!apply) {
    for await (const row of ledger.list({ outcome: retention.outcome })) {
      if (isOld(row, rowsBefore)) rows++;
      else if (isOld(row, articlesBefore) && (row.article !== undefined || row.trail !== undefined)) articles++;
    }
  }
  return [
    { kind: 'ledger-row', count: rows, bytes: 0 },
    { kind: 'ledger-text', count: articles, bytes: 0 },
  ];
}
