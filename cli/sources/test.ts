/** `pipeline sources test X`: reads a feed the way intake would, and shows what came of it. */
import { existsSync, readFileSync } from 'node:fs';
import { isRemote } from '../../config/sources.js';
import { feedHeaders, statusError } from '../../lib/feeds/fetch-state.js';
import { htmlToText } from '../../lib/feeds/html.js';
import { readFeed } from '../../lib/feeds/read.js';
import { feedReport } from '../../lib/feeds/report.js';
import type { FeedResult } from '../../lib/feeds/types.js';
import { ConfigError, describeError, messageOf, PipelineError } from '../../runner/errors.js';
import type { Resources } from '../../runner/resources.js';
import type { CommonOptions } from '../command.js';
import { openForCommand } from '../open.js';
import { Output } from '../output.js';

/** Exit code: 1 when the feed could not be read or is empty. */
export async function test(target: string, flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  const now = Date.now();
  const result = await readTarget(target, flags, now);
  const failed = 'error' in result || result.items.length === 0;
  if (output.wantsJson) await output.json(feedReport(result, now));
  else await show(result, output);
  return failed ? 1 : 0;
}

/** A file, an address, or the name of a configured source. */
async function readTarget(target: string, flags: CommonOptions, now: number): Promise<FeedResult> {
  if (!isRemote(target) && existsSync(target)) return readFeed(readFileSync(target), { now });
  const { resources, url, close } = await findSource(target, flags);
  try {
    return isRemote(url) ? await fetchFeed(url, resources, now) : await readFile(url, resources, now);
  } finally {
    await close();
  }
}

interface Found {
  readonly resources: Resources;
  readonly url: string;
  readonly close: () => Promise<void>;
}

async function findSource(target: string, flags: CommonOptions): Promise<Found> {
  try {
    const workspace = await openForCommand(flags, { readOnly: true });
    const { resources } = workspace;
    const close = () => workspace.close();
    if (isRemote(target)) return { resources, url: target, close };
    const known = await (await resources.use('sources')).list();
    const source = known.find(({ name }) => name === target);
    if (source) return { resources, url: source.url, close };
    await close();
  } catch (error) {
    // Feeds can be tested anywhere.
    if (!(error instanceof ConfigError) || error.code !== 'vault-missing' || flags.vault !== undefined) throw error;
  }
  if (!isRemote(target))
    throw new ConfigError('source-unknown', `"${target}" is no file, no http(s) address and no configured source.`, {
      remedy: 'Give one of these; `pipeline sources list` shows the configured ones.',
    });
  const { resourcesWithoutVault } = await import('../../workspace/nowhere.js');
  const resources = resourcesWithoutVault(process.cwd(), process.env, flags.offline ?? false);
  return { resources, url: target, close: () => resources.close() };
}

/** Fetches and reads a feed; network trouble is a result like any other. */
export async function fetchFeed(url: string, resources: Resources, now: number): Promise<FeedResult> {
  try {
    const { limits } = await resources.use('sources');
    const http = await resources.use('http');
    const response = await http.get({
      url,
      headers: feedHeaders({}),
      maxBytes: limits.maxFeedBytes,
      timeoutMs: limits.timeoutMs,
    });
    if (response.status < 200 || response.status > 299) return { error: statusError(response, now) };
    return readFeed(response.body, { url: response.url, contentType: response.headers['content-type'], now });
  } catch (error) {
    return { error: error instanceof PipelineError ? error : new PipelineError('source-failed', messageOf(error)) };
  }
}

async function readFile(url: string, resources: Resources, now: number): Promise<FeedResult> {
  const { limits, readFile: read } = await resources.use('sources');
  return readFeed(await read(url, limits.maxFeedBytes), { now });
}

async function show(result: FeedResult, output: Output): Promise<void> {
  if ('error' in result) {
    await output.line(`Not readable: ${describeError(result.error)}`);
    return;
  }
  const { feed, items } = result;
  await output.line(`${feed.title ?? '(no title)'}  ${feed.format}, ${feed.encoding}, ${items.length} item(s)`);
  if (feed.repaired) await output.line(`  repaired: ${feed.repairs.join('; ')}`);
  for (const item of items) {
    const title = item.title ?? (htmlToText(item.summary ?? item.content ?? '').slice(0, 80) || '(no title)');
    await output.line(`  ${item.published?.slice(0, 10) ?? 'no date   '}  ${title}`);
    if (item.url !== undefined) await output.line(`              ${item.url}`);
  }
}
