/** Edits a vault's sources.yaml: adds and removes entries, keeps every comment and every other entry as it is. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSeq, parseDocument, type YAMLSeq } from 'yaml';
import { type Source, type SourceKind, sourcesSchema } from '../config/sources.js';
import { writeAtomic } from '../lib/vault/atomic-write.js';
import { ConfigError } from '../runner/errors.js';
import type { Workspace } from './workspace.js';

const HEADER = ' Where items come from. Fields and their meaning: config/sources.yaml of the package.\n';

export interface NewSource {
  readonly name: string;
  readonly kind: SourceKind;
  readonly url: string;
  readonly category?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

export interface AddedSources {
  readonly added: readonly NewSource[];
  /** Already there, by address. */
  readonly known: readonly NewSource[];
}

/** The file that `sources add` writes. */
export function sourceListFile(workspace: Pick<Workspace, 'userDir'>): string {
  return join(workspace.userDir, 'sources.yaml');
}

/** Adds what is not there yet (by kind and address); a name that is taken gets a number. */
export async function addSources(workspace: Workspace, wanted: readonly NewSource[]): Promise<AddedSources> {
  const current = workspace.config('sources', sourcesSchema);
  const addresses = new Set(current.map(addressOf));
  const names = new Set(current.map(({ name }) => name));
  const added: NewSource[] = [];
  const known: NewSource[] = [];
  for (const source of wanted) {
    if (addresses.has(addressOf(source))) {
      known.push(source);
      continue;
    }
    addresses.add(addressOf(source));
    const name = freeName(source.name, names);
    names.add(name);
    added.push({ ...source, name });
  }
  if (added.length > 0) {
    // The user's list replaces the shipped one, so the shipped entries move over with the first edit.
    const carried = existsSync(sourceListFile(workspace)) ? [] : current;
    await edit(workspace, (list, document) => {
      for (const source of [...carried, ...added]) list.add(document(entryOf(source)));
    });
  }
  return { added, known };
}

/** Removes the source with this name or address; undefined when there is none. Its ledger rows and notes stay. */
export async function removeSource(workspace: Workspace, nameOrUrl: string): Promise<Source | undefined> {
  const current = workspace.config('sources', sourcesSchema);
  const source = current.find(({ name }) => name === nameOrUrl) ?? current.find(({ url }) => url === nameOrUrl);
  if (!source) return undefined;
  if (!existsSync(sourceListFile(workspace)))
    throw new ConfigError('source-shipped', `"${source.name}" is part of the shipped list.`, {
      remedy: `Write your own list in ${sourceListFile(workspace)}; it replaces the shipped one.`,
    });
  await edit(workspace, (list) => {
    const index = list.items.findIndex((item) => {
      const entry = (item as { toJSON(): unknown }).toJSON() as Partial<Source>;
      return entry.name === source.name;
    });
    if (index >= 0) list.delete(index);
  });
  return source;
}

async function edit(
  workspace: Workspace,
  change: (list: YAMLSeq, document: (value: unknown) => unknown) => void,
): Promise<void> {
  const file = sourceListFile(workspace);
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : 'sources: []\n');
  if (!existsSync(file)) document.commentBefore = HEADER;
  let list = document.get('sources', true);
  if (!isSeq(list)) {
    list = document.createNode([]);
    document.set('sources', list);
  }
  const sequence = list as YAMLSeq;
  sequence.flow = false;
  change(sequence, (value) => document.createNode(value));
  mkdirSync(dirname(file), { recursive: true });
  await writeAtomic(file, document.toString({ lineWidth: 0 }));
}

/** Only what was said: defaults stay out of the file. */
function entryOf({ name, kind, url, category, tags }: NewSource): Record<string, unknown> {
  return {
    name,
    kind,
    url,
    ...(category === undefined ? {} : { category }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
  };
}

function addressOf({ kind, url }: Pick<Source, 'kind' | 'url'>): string {
  return `${kind} ${url.replace(/\/+$/, '')}`;
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const base = name.trim().slice(0, 190) || 'Unnamed source';
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? base : `${base} (${number})`;
    if (!taken.has(candidate)) return candidate;
  }
}
