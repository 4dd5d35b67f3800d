/** Worker thread of the extractor: one message in, one answer out. */
import { parentPort } from 'node:worker_threads';
import { extractPage, fragmentToMarkdown } from './page.js';

export interface Job {
  readonly id: number;
  readonly kind: 'page' | 'fragment';
  readonly html: string;
  readonly url: string | undefined;
}

parentPort?.on('message', ({ id, kind, html, url }: Job) => {
  try {
    const value = kind === 'page' ? extractPage(html, url ?? 'about:blank') : fragmentToMarkdown(html, url);
    parentPort?.postMessage({ id, value });
  } catch (error) {
    parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) });
  }
});

// Tells the pool that everything is loaded.
parentPort?.postMessage({ ready: true });
