/** Worker thread of the extractor: says that it is ready, then one message in, one answer out. */
import { parentPort } from 'node:worker_threads';
import { fragmentToMarkdown } from './fragment.js';

export interface Job {
  readonly id: number;
  readonly kind: 'page' | 'fragment';
  readonly html: string;
  readonly url: string | undefined;
}

export interface Answer<T> {
  readonly id: number;
  readonly value?: T;
  readonly error?: string;
}

export type Ready = 'ready';

parentPort?.on('message', async ({ id, kind, html, url }: Job) => {
  try {
    const value = kind === 'page' ? await page(html, url ?? 'about:blank') : fragmentToMarkdown(html, url);
    parentPort?.postMessage({ id, value });
  } catch (error) {
    parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
parentPort?.postMessage('ready' satisfies Ready);

/** jsdom is loaded for the first page; runs over feeds with whole texts never need it. */
async function page(html: string, url: string): Promise<unknown> {
  const { extractPage } = await import('./page.js');
  return extractPage(html, url);
}
