/** Copies that sync tools leave when two machines changed one note: recognised so that they are listed, not indexed. */

/** One pattern a tool, matched against the file name without folder. Group 1 is the stem of the original. */
const PATTERNS: readonly { readonly tool: string; readonly pattern: RegExp }[] = [
  { tool: 'Syncthing', pattern: /^(.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]+)?(\.[^.]+)$/ },
  { tool: 'Dropbox', pattern: /^(.+) \([^()]*conflicted copy[^()]*\)(\.[^.]+)$/i },
  { tool: 'Resilio', pattern: /^(.+)\.conflict(\.[^.]+)$/i },
  { tool: 'Unison', pattern: /^(.+)\.conflict on [^.]+(\.[^.]+)$/i },
  { tool: 'Seafile', pattern: /^(.+) \(SFConflict [^()]+\)(\.[^.]+)$/ },
  { tool: 'Joplin', pattern: /^(.+) \(Conflict\)(\.[^.]+)$/ },
];

export interface SyncConflict {
  readonly tool: string;
  /** Vault path of the note it is a copy of. */
  readonly original: string;
}

/** What a sync-conflict copy is a copy of; undefined for every other path. Names a person might choose (`note 2.md`) do not count. */
export function syncConflict(path: string): SyncConflict | undefined {
  const slash = path.lastIndexOf('/') + 1;
  const name = path.slice(slash);
  if (!/conflict/i.test(name)) return undefined;
  for (const { tool, pattern } of PATTERNS) {
    const found = pattern.exec(name);
    if (found) return { tool, original: `${path.slice(0, slash)}${found[1]}${found[2]}` };
  }
  return undefined;
}
