/** A small pool of extraction workers with a time limit a page: a page that hangs costs its worker, not the run. */
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import { PipelineError } from '../../runner/errors.js';
import type { ExtractedPage, PageExtractor } from './types.js';
import type { Job } from './worker.js';

export interface ExtractorOptions {
  /** Worker threads, started when first needed. */
  readonly workers: number;
  /** Milliseconds for one page. */
  readonly timeoutMs: number;
}

/** Memory of one worker; a page that needs more fails alone. */
const WORKER_HEAP_MB = 512;

export function createExtractor({ workers, timeoutMs }: ExtractorOptions): PageExtractor {
  const queue = new PQueue({ concurrency: workers });
  const idle: Worker[] = [];
  let nextId = 0;

  const work = async <T>(job: Omit<Job, 'id'>): Promise<T> => {
    const worker = idle.pop() ?? (await startWorker());
    const value = await ask<T>(worker, { ...job, id: ++nextId }, timeoutMs);
    idle.push(worker);
    return value;
  };

  return {
    extract: (html, url) => queue.add(() => work<ExtractedPage>({ kind: 'page', html, url })),
    toMarkdown: (html, url) => queue.add(() => work<string>({ kind: 'fragment', html, url })),
    async close() {
      queue.clear();
      await queue.onIdle();
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
}

/** Starts a worker and waits until it has loaded: start-up is not the page's time. */
async function startWorker(): Promise<Worker> {
  const fromSource = import.meta.url.endsWith('.ts');
  const limits = { resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB } };
  const file = new URL(fromSource ? './worker.ts' : './worker.js', import.meta.url);
  const worker = fromSource ? new Worker(fromSourceCode(file), { ...limits, eval: true }) : new Worker(file, limits);
  await new Promise<void>((resolve, reject) => {
    worker.once('message', () => resolve());
    worker.once('error', (cause) =>
      reject(new PipelineError('extract-failed', `The page reader does not start: ${cause.message}`, { cause })),
    );
  });
  worker.unref();
  return worker;
}

/** During development the worker is TypeScript, and a thread does not inherit the loader of the process. */
function fromSourceCode(file: URL): string {
  return `import('tsx/esm/api').then(({ register }) => { register(); return import(${JSON.stringify(file.href)}); });`;
}

function ask<T>(worker: Worker, job: Job, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const fail = (error: PipelineError): void => {
      finish();
      void worker.terminate();
      reject(error);
    };
    const timer = setTimeout(() => {
      fail(
        new PipelineError(
          'extract-timeout',
          `${job.url ?? 'The page'} took longer than ${timeoutMs / 1000} s to read.`,
        ),
      );
    }, timeoutMs);
    const onMessage = (answer: { id: number; value?: T; error?: string }): void => {
      if (answer.id !== job.id) return;
      finish();
      if (answer.error === undefined) resolve(answer.value as T);
      else reject(new PipelineError('extract-failed', `${job.url ?? 'The page'} could not be read: ${answer.error}`));
    };
    const onError = (error: Error): void =>
      fail(
        new PipelineError('extract-failed', `${job.url ?? 'The page'} broke its reader: ${error.message}`, {
          cause: error,
        }),
      );
    const finish = (): void => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('error', onError);
      worker.unref();
    };
    worker.ref();
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(job);
  });
}
