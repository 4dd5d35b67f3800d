/**
 * Applies a client's changes and can take them back: what each file was before is kept beside it, so that an uninstall
 * gives the original bytes as long as nobody changed the file since.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError, suggest } from '../../runner/errors.js';
import { CLIENTS, type Client, type FileChange, type Setup } from './clients.js';

export interface Applied {
  readonly file: string;
  readonly change: 'created' | 'changed' | 'unchanged' | 'restored' | 'removed' | 'edited since, left alone';
}

interface Backup {
  readonly file: string;
  /** Text before our change; null when there was no file. */
  readonly before: string | null;
  /** SHA-256 of the text we wrote. */
  readonly wrote: string;
}

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const read = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null);

export function clientNamed(name: string): Client {
  const client = CLIENTS[name];
  if (!client)
    throw new ConfigError('unknown-client', `There is no client named "${name}".`, {
      remedy: suggest(name, Object.keys(CLIENTS)),
    });
  return client;
}

/** What would be written, without writing it. */
export function preview(changes: readonly FileChange[]): { file: string; text: string }[] {
  return changes.map(({ file, edit }) => ({ file, text: edit(read(file) ?? '') }));
}

/** Writes the changes; running it again changes nothing. Nothing is written when one of the files cannot be edited. */
export function install(setup: Setup, client: Client, stateDir: string): Applied[] {
  const planned = client.changes(setup).map(({ file, edit }) => {
    const before = read(file);
    return { file, before, after: edit(before ?? '') };
  });
  return planned.map(({ file, before, after }) => {
    if (before === after) return { file, change: 'unchanged' as const };
    const known = readBackup(file, stateDir);
    // The first backup is the original; a later install must not replace it by our own earlier work.
    const original = known && before !== null && sha(before) === known.wrote ? known.before : before;
    mkdirSync(dirname(file), { recursive: true });
    writeBackup({ file, before: original, wrote: sha(after) }, stateDir);
    writeFileSync(file, after);
    return { file, change: before === null ? ('created' as const) : ('changed' as const) };
  });
}

/** Restores what was there before. A file that was edited since is left alone and named. */
export function uninstall(setup: Setup, client: Client, stateDir: string): Applied[] {
  return client.changes(setup).flatMap(({ file }): Applied[] => {
    const backup = readBackup(file, stateDir);
    const now = read(file);
    if (!backup || now === null) return [];
    if (sha(now) !== backup.wrote) return [{ file, change: 'edited since, left alone' }];
    if (backup.before === null) rmSync(file);
    else writeFileSync(file, backup.before);
    rmSync(backupPath(file, stateDir));
    return [{ file, change: backup.before === null ? 'removed' : 'restored' }];
  });
}

function backupPath(file: string, stateDir: string): string {
  return join(stateDir, 'installed', `${sha(file).slice(0, 16)}.json`);
}

function readBackup(file: string, stateDir: string): Backup | undefined {
  const text = read(backupPath(file, stateDir));
  return text === null ? undefined : (JSON.parse(text) as Backup);
}

function writeBackup(backup: Backup, stateDir: string): void {
  const path = backupPath(backup.file, stateDir);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(backup));
}
