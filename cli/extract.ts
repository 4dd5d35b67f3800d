/** Reads one page as intake would, from the web or from a file, and shows what came of it. */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isoDateOf } from '../lib/dates.js';
import { decodePage } from '../lib/web/decode.js';
import type { ExtractedPage } from '../lib/web/types.js';
import { ConfigError, PipelineError } from '../runner/errors.js';
import type { Resources } from '../runner/resources.js';
import type { ExtractFlags } from './commands/extract.js';
import { openForCommand } from './open.js';
import { Output } from './output.js';

/** Exit code: 1 when the page holds no text. */
export async function runExtract(page: string, flags: ExtractFlags): Promise<number> {
  const output = new Output(flags);
  const { resources, close } = await openResources(flags);
  try {
    const { html, url } = await readPage(page, flags.url, resources);
    const read = await (await resources.use('extractor')).extract(html, url);
    const published = isoDateOf(read.published, (await resources.use('clock')).now());
    const result: ExtractedPage = { ...withoutDate(read), ...(published === undefined ? {} : { published }) };
    if (output.wantsJson) await output.json(result);
    else await show(result, output);
    return read.markdown === '' ? 1 : 0;
  } finally {
    await close();
  }
}

/** The vault's settings where there is one; a page can be read anywhere. */
async function openResources(flags: ExtractFlags): Promise<{ resources: Resources; close: () => Promise<void> }> {
  try {
    const workspace = await openForCommand(flags, { readOnly: true });
    return { resources: workspace.resources, close: () => workspace.close() };
  } catch (error) {
    if (!(error instanceof ConfigError) || error.code !== 'vault-missing' || flags.vault !== undefined) throw error;
  }
  const { resourcesWithoutVault } = await import('../workspace/nowhere.js');
  const resources = resourcesWithoutVault(process.cwd(), process.env, flags.offline ?? false);
  return { resources, close: () => resources.close() };
}

async function readPage(page: string, copyOf: string | undefined, resources: Resources) {
  if (!/^https?:\/\//i.test(page)) {
    const file = resolve(page);
    if (!existsSync(file)) {
      throw new ConfigError('page-unknown', `"${page}" is neither an http(s) address nor a file.`, {
        remedy: 'Give the address of a page, or an HTML file.',
      });
    }
    return { html: decodePage(readFileSync(file), undefined), url: copyOf ?? pathToFileURL(file).href };
  }
  const { limits } = await resources.use('sources');
  const response = await (await resources.use('http')).get({
    url: page,
    maxBytes: limits.maxPageBytes,
    timeoutMs: limits.timeoutMs,
    robots: true,
  });
  if (response.status < 200 || response.status > 299) {
    throw new PipelineError('page-status', `${response.url} answered ${response.status}.`, {
      remedy: 'Open it in a browser to see why.',
    });
  }
  const type = response.headers['content-type'];
  if (type !== undefined && !/html|xml|text/i.test(type)) {
    throw new PipelineError('page-type', `${response.url} is ${type}, which holds no readable page.`, {
      remedy: 'Intake files such a thing as a note with a link.',
    });
  }
  return { html: decodePage(response.body, type), url: response.url };
}

function withoutDate({ published: _asWritten, ...read }: ExtractedPage): ExtractedPage {
  return read;
}

async function show(read: ExtractedPage, output: Output): Promise<void> {
  const facts = [read.byline, read.site, read.published?.slice(0, 10), read.lang].filter((fact) => fact !== undefined);
  await output.line(`# ${read.title}\n`);
  await output.line(`${read.url}${facts.length > 0 ? `\n${facts.join(' · ')}` : ''}\n`);
  await output.line(read.markdown);
  if (read.fallback) await output.info('No article was found; this is the whole body of the page.');
}
