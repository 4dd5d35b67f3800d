/** A small pool of extraction workers with a time limit a page: a page that hangs costs its worker, not the run. */
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { messageOf, PipelineError } from '../../runner/errors.js';
import { packagePath } from '../package-root.js';
import { isHarmless } from './harmless.js';
import type { ExtractedPage, PageExtractor } from './types.js';
import type { Answer, Job, Ready } from './worker.js';

export interface ExtractorOptions {
  /** Worker threads, started when first needed. */
  readonly workers: number;
  /** Milliseconds for one page. */
  readonly timeoutMs: number;
}

/** Memory of one worker; a page that needs more fails alone. */
const WORKER_HEAP_MB = 512;

/** Loading a DOM takes a second, on a busy machine many; that time is not the page's. */
const START_LIMIT_MS = 120_000;

export function createExtractor({ workers, timeoutMs }: ExtractorOptions): PageExtractor {
  const queue = new PQueue({ concurrency: workers });
  const idle: Worker[] = [];
  let nextId = 0;

  const work = async <T>(job: Omit<Job, 'id'>): Promise<T> => {
    const worker = idle.pop() ?? (await startWorker());
    const answer = await ask<T>(worker, { ...job, id: ++nextId }, timeoutMs);
    // A worker that failed is gone; one that answered, be it with an error, is fit for the next page.
    idle.push(worker);
    if (answer.error === undefined) return answer.value as T;
    throw notRead(job, answer.error);
  };

  return {
    extract: (html, url) => queue.add(() => work<ExtractedPage>({ kind: 'page', html, url })),
    async toMarkdown(html, url) {
      if (html === '') return '';
      if (!isHarmless(html)) return queue.add(() => work<string>({ kind: 'fragment', html, url }));
      const { fragmentToMarkdown } = await import('./fragment.js');
      try {
        return fragmentToMarkdown(html, url);
      } catch (error) {
        throw notRead({ url }, messageOf(error));
      }
    },
    async close() {
      queue.clear();
      await queue.onIdle();
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
}

function notRead(job: Pick<Job, 'url'>, why: string): PipelineError {
  return new PipelineError('extract-failed', `${nameOf(job)} could not be read: ${why}`);
}

async function startWorker(): Promise<Worker> {
  const fromSource = import.meta.url.endsWith('.ts');
  const limits = { resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB } };
  const file = fromSource
    ? new URL('./worker.ts', import.meta.url)
    : pathToFileURL(packagePath('dist', 'lib', 'web', 'worker.js'));
  const worker = fromSource ? new Worker(fromSourceCode(file), { ...limits, eval: true }) : new Worker(file, limits);
  await once<Ready>(worker, START_LIMIT_MS, (message): message is Ready => message === 'ready');
  worker.unref();
  return worker;
}

/** During development the worker is TypeScript, and a thread does not inherit the loader of the process. */
function fromSourceCode(file: URL): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(file.href)}); });`;
}

async function ask<T>(worker: Worker, job: Job, timeoutMs: number): Promise<Answer<T>> {
  worker.ref();
  worker.postMessage(job);
  try {
    return await once<Answer<T>>(worker, timeoutMs, (message): message is Answer<T> => idOf(message) === job.id);
  } catch (error) {
    void worker.terminate();
    const why = error instanceof Error ? error.message : String(error);
    const code = why === TOO_SLOW ? 'extract-timeout' : 'extract-failed';
    const what = why === TOO_SLOW ? `took longer than ${timeoutMs / 1000} s to read` : `broke its reader: ${why}`;
    throw new PipelineError(code, `${nameOf(job)} ${what}.`, { cause: error });
  } finally {
    worker.unref();
  }
}

const TOO_SLOW = 'too slow';

/** The first message that is `wanted`; rejects when the worker dies or the time is up. */
function once<T>(worker: Worker, timeoutMs: number, wanted: (message: unknown) => message is T): Promise<T> {
  return new Promise((resolve, reject) => {
    const finish = (act: () => void): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.off('exit', onExit);
      act();
    };
    const timer = setTimeout(() => finish(() => reject(new Error(TOO_SLOW))), timeoutMs);
    const onMessage = (message: unknown): void => {
      if (wanted(message)) finish(() => resolve(message));
    };
    const onError = (error: unknown): void => finish(() => reject(error));
    const onExit = (code: number): void => finish(() => reject(new Error(`it ended with code ${code}`)));
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.on('exit', onExit);
  });
}

function idOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null && 'id' in message ? message.id : undefined;
}

function nameOf({ url }: Pick<Job, 'url'>): string {
  return url ?? 'The page';
}
