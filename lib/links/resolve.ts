/** Which note a link means: Obsidian's rule, the shortest path among the notes of that name. */

/** What notes and links are matched by first: the file name in lower case, NFC, without folder and `.md`. */
export function linkKey(target: string): string {
  const clean = target.normalize('NFC').replaceAll('\\', '/').toLowerCase();
  return stripExtension(clean.slice(clean.lastIndexOf('/') + 1));
}

function stripExtension(path: string): string {
  return path.replace(/\.(?:md|markdown|mdown|mkd)$/, '');
}

/**
 * Picks the note a target means among `candidates`, the paths whose `linkKey` equals the target's (or that carry it as
 * an alias). A target with folders must match the end of a path; `./` and `../` are taken from the linking note's folder.
 */
export function resolveLink(target: string, from: string, candidates: readonly string[]): string | null {
  const wanted = normal(target);
  const folder = from.includes('/') ? from.slice(0, from.lastIndexOf('/')) : '';
  const relative = normal(join(folder, target));
  const plain = wanted.replace(/^\/+/, '');
  let best: string | null = null;
  let bestRank = Number.POSITIVE_INFINITY;
  for (const path of candidates) {
    const key = normal(path);
    let rank: number;
    if (/^\.\.?\//.test(target)) rank = key === relative ? 0 : Number.POSITIVE_INFINITY;
    else if (key === plain) rank = 0;
    else if (key === relative) rank = 1;
    else if (!plain.includes('/') || key.endsWith(`/${plain}`)) rank = 2 + path.split('/').length;
    else rank = Number.POSITIVE_INFINITY;
    if (rank < bestRank || (rank === bestRank && best !== null && rank !== Number.POSITIVE_INFINITY && path < best)) {
      best = path;
      bestRank = rank;
    }
  }
  return best;
}

function normal(path: string): string {
  return stripExtension(path.normalize('NFC').replaceAll('\\', '/').toLowerCase());
}

function join(folder: string, target: string): string {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of target.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
