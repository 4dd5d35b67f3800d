/** Vault paths: relative, forward slashes, no way out of the vault, ordered as the store orders them. */
import { PipelineError } from '../../runner/errors.js';

const MARKDOWN = /\.(?:md|markdown|mdown|mkd)$/i;

export function isMarkdownPath(path: string): boolean {
  return MARKDOWN.test(path);
}

/**
 * The canonical spelling of a vault-relative path: forward slashes, no `.` parts, no doubled or leading slash.
 * @throws {PipelineError} `path-outside` for absolute paths, drive letters, NUL bytes and `..` that leave the vault.
 */
export function cleanPath(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  if (slashed.includes('\0') || slashed.startsWith('/') || /^[a-z]:/i.test(slashed)) throw outside(path);
  const parts: string[] = [];
  for (const part of slashed.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) throw outside(path);
  }
  return parts.join('/');
}

export function outside(path: string): PipelineError {
  return new PipelineError('path-outside', `The path ${JSON.stringify(path)} is outside the vault.`, {
    remedy: 'Use a path relative to the vault, with forward slashes.',
  });
}

/**
 * Orders strings by their UTF-8 bytes, as SQLite and PostgreSQL (collation C) do. JS compares UTF-16 units, which
 * differs where surrogates (U+10000 and up) meet U+E000..U+FFFF: a merge of two listings would then lose files.
 */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return utf8Rank(x) - utf8Rank(y);
  }
  return a.length - b.length;
}

/** Lifts surrogates above the rest of the basic plane. */
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x2800 : unit;
}
