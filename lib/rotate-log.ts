/** Appends to a log that never grows beyond a size: full ones become `.1`, `.2` and so on, the oldest goes. */
import { appendFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface LogLimits {
  /** Bytes of one file. */
  readonly bytes: number;
  /** Rotated files kept. */
  readonly files: number;
}

/** One line; rotates before it would be too much. */
export function appendLog(file: string, line: string, limits: LogLimits): void {
  mkdirSync(dirname(file), { recursive: true });
  if (isFull(file, line.length, limits)) rotateLog(file, limits);
  appendFileSync(file, `${line}\n`);
}

export function isFull(file: string, more: number, { bytes }: LogLimits): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) + more > bytes;
}

export function rotateLog(file: string, { files }: LogLimits): void {
  rmSync(`${file}.${files}`, { force: true });
  for (let n = files - 1; n >= 1; n--) if (existsSync(`${file}.${n}`)) renameSync(`${file}.${n}`, `${file}.${n + 1}`);
  if (existsSync(file)) renameSync(file, `${file}.1`);
}
