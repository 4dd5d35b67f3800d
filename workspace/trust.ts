/**
 * Which vaults may bring code. A vault is often a cloned repository: its pipelines are data and always allowed, but
 * stages in `.pipeline/stages/` and commands in its schedule run as the user, so they wait for `pipeline trust`.
 */
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const fileIn = (stateDir: string): string => join(stateDir, 'trusted-vaults.json');

function readTrusted(stateDir: string): string[] {
  if (!existsSync(fileIn(stateDir))) return [];
  const parsed: unknown = JSON.parse(readFileSync(fileIn(stateDir), 'utf8'));
  return Array.isArray(parsed) ? parsed.filter((p): p is string => typeof p === 'string') : [];
}

export function isTrusted(vaultDir: string, stateDir: string): boolean {
  return readTrusted(stateDir).includes(realpathSync(vaultDir));
}

/** Adds or removes a vault; the list is kept in the state folder, never in the vault. */
export function setTrusted(vaultDir: string, stateDir: string, trusted: boolean): void {
  const real = realpathSync(vaultDir);
  const others = readTrusted(stateDir).filter((p) => p !== real);
  mkdirSync(dirname(fileIn(stateDir)), { recursive: true });
  writeFileSync(fileIn(stateDir), `${JSON.stringify(trusted ? [...others, real] : others, undefined, 2)}\n`);
}
