/** Creates a vault from the template, or completes an existing one. */
import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { packagePath } from '../lib/package-root.js';

/** Npm does not pack files named .gitignore and the like reliably: dotfiles ship under these names. */
const RENAMED: Readonly<Record<string, string>> = { 'dot-indexignore': '.indexignore', 'dot-pipeline': '.pipeline' };

/**
 * Copies what is missing of the template; nothing that exists is changed. Empty template folders hold a `.gitkeep`,
 * which is not copied.
 * @returns the vault and the created paths, relative to it, forward slashes.
 */
export function initVault(dir: string): { vault: string; created: string[] } {
  const vault = resolve(dir);
  const template = packagePath('vault-template');
  const created: string[] = [];
  const entries = readdirSync(template, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const from = join(entry.parentPath, entry.name);
    const to = join(
      vault,
      ...relative(template, from)
        .split(sep)
        .map((part) => RENAMED[part] ?? part),
    );
    const isFolder = entry.isDirectory();
    if (existsSync(to) || entry.name === '.gitkeep') continue;
    mkdirSync(isFolder ? to : dirname(to), { recursive: true });
    if (!isFolder) copyFileSync(from, to);
    created.push(relative(vault, to).split(sep).join('/') + (isFolder ? '/' : ''));
  }
  return { vault, created: created.sort() };
}
