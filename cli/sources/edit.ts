/** `pipeline sources add|remove|import|export`: the list of sources, edited without touching its comments. */
import { readFileSync } from 'node:fs';
import { isRemote, type SourceKind, sourceKinds, sourcesSchema } from '../../config/sources.js';
import { readOpml, writeOpml } from '../../lib/feeds/opml.js';
import { advertisedFeed } from '../../lib/feeds/read.js';
import { ConfigError, describeError, messageOf } from '../../runner/errors.js';
import { addSources, removeSource, sourceListFile } from '../../workspace/source-list.js';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { fetchFeed } from './test.js';

export interface AddFlags extends CommonOptions {
  readonly name?: string;
  readonly kind?: string;
  readonly category?: string;
  readonly tags?: string;
  /** False with `--no-check`. */
  readonly check?: boolean;
}

/** Adds a source; a feed is read first, and a web page is followed to the feed it names. */
export async function add(url: string, flags: AddFlags): Promise<number> {
  const output = new Output(flags);
  const kind = kindOf(flags.kind ?? 'feed');
  return withWorkspace(flags, async (workspace) => {
    const found = kind === 'feed' && isRemote(url) && flags.check !== false ? await findFeed(url, workspace) : { url };
    const { added, known } = await addSources(workspace, [
      {
        name: flags.name ?? found.title ?? nameFrom(found.url),
        kind,
        url: found.url,
        category: flags.category,
        tags: flags.tags?.split(',').map((tag) => tag.trim()),
      },
    ]);
    if (output.wantsJson) await output.json({ file: sourceListFile(workspace), added, known });
    else if (added[0]) await output.line(`Added "${added[0].name}": ${added[0].url}`);
    else await output.line(`${found.url} is there already.`);
    return 0;
  });
}

interface FoundFeed {
  readonly url: string;
  readonly title?: string | undefined;
}

async function findFeed(url: string, workspace: Workspace): Promise<FoundFeed> {
  const first = await fetchFeed(url, workspace.resources, workspace.clock.now());
  if (!('error' in first)) return { url, title: first.feed.title };
  const advertised = advertisedFeed(first.error);
  if (advertised === undefined)
    throw new ConfigError('source-unreadable', `This address cannot be added: ${describeError(first.error)}`, {
      remedy: 'Add it all the same with --no-check.',
    });
  const second = await fetchFeed(advertised, workspace.resources, workspace.clock.now());
  return { url: advertised, title: 'error' in second ? undefined : second.feed.title };
}

export async function remove(nameOrUrl: string, flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async (workspace) => {
    const removed = await removeSource(workspace, nameOrUrl);
    if (!removed)
      throw new ConfigError('source-unknown', `No source has the name or address "${nameOrUrl}".`, {
        remedy: '`pipeline sources list` shows them.',
      });
    if (output.wantsJson) await output.json({ removed: { name: removed.name, kind: removed.kind, url: removed.url } });
    else await output.line(`Removed "${removed.name}". Its notes stay.`);
    return 0;
  });
}

/** Imports a subscription list. Exit code 1 when some records could not be used. */
export async function importOpml(file: string, flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  const { feeds, problems, empty } = readOpml(readBytes(file));
  if (empty)
    throw new ConfigError('opml-empty', 'The file holds no subscription list.', {
      file,
      remedy: 'Export the list again as OPML.',
    });
  return withWorkspace(flags, async (workspace) => {
    const wanted = feeds.map(({ name, url, category }) => ({ name, kind: 'feed' as const, url, category }));
    const { added, known } = await addSources(workspace, wanted);
    if (output.wantsJson) await output.json({ file: sourceListFile(workspace), added, known, problems });
    else {
      await output.line(`${added.length} added, ${known.length} there already, ${problems.length} not usable.`);
      for (const problem of problems) await output.line(`  ${problem}`);
    }
    return problems.length > 0 ? 1 : 0;
  });
}

/** Prints the feeds as OPML. */
export async function exportOpml(flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const sources = workspace.config('sources', sourcesSchema);
      const feeds = sources
        .filter(({ kind, url }) => kind === 'feed' && isRemote(url))
        .map(({ name, url, category }) => ({ name, url, ...(category === undefined ? {} : { category }) }));
      const opml = writeOpml('Sluice subscriptions', feeds);
      if (output.wantsJson) await output.json({ opml, feeds: feeds.length });
      else await output.text(opml);
      return 0;
    },
    { readOnly: true },
  );
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new ConfigError('file-missing', `The file cannot be read: ${messageOf(cause)}`, {
      file,
      cause,
      remedy: 'Name an OPML file.',
    });
  }
}

function kindOf(text: string): SourceKind {
  const kind = sourceKinds.find((one) => one === text);
  if (kind === undefined)
    throw new ConfigError('source-kind', `"${text}" is no kind of source.`, {
      remedy: `Known: ${sourceKinds.join(', ')}.`,
    });
  return kind;
}

function nameFrom(url: string): string {
  return isRemote(url) ? new URL(url).hostname.replace(/^www\./, '') : url;
}
