/** Fetches one file to disk and checks it while it passes: never in memory whole, never under its final name unless right. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { messageOf, PipelineError } from '../../runner/errors.js';

export interface Download {
  readonly url: string;
  readonly to: string;
  /** Expected SHA-256, lower-case hexadecimal. */
  readonly sha256: string;
  readonly signal?: AbortSignal;
  /** Bytes so far. */
  readonly progress?: (bytes: number) => void;
}

/** No model we list comes near; a server that sends more than this sends no model. */
const LARGEST_FILE = 4 * 1024 ** 3;

/**
 * Rejects with `PipelineError`: `download-failed` (network, status), `download-wrong` (checksum). The caller removes
 * the file then; it has none of the names under which models are looked for.
 */
export async function downloadFile(
  fetch: typeof globalThis.fetch,
  { url, to, sha256, signal, progress }: Download,
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  const tap = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      bytes += chunk.length;
      hash.update(chunk);
      progress?.(bytes);
      done(bytes > LARGEST_FILE ? new Error('it is larger than any model') : null, chunk);
    },
  });
  try {
    const response = await fetch(url, signal ? { signal } : {});
    if (!response.ok || !response.body) {
      await response.body?.cancel();
      throw new Error(`the server answered ${response.status}`);
    }
    await pipeline(Readable.fromWeb(response.body as ReadableStream<Uint8Array>), tap, createWriteStream(to));
  } catch (cause) {
    signal?.throwIfAborted();
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    throw new PipelineError('download-failed', `${url} could not be fetched: ${messageOf(inner)}.`, {
      cause,
      transient: true,
      remedy: 'Try again; nothing was kept of it.',
    });
  }
  checkHash(url, hash.digest('hex'), sha256);
}

/** @throws {PipelineError} `download-wrong` */
export function checkHash(what: string, found: string, expected: string): void {
  if (found === expected) return;
  throw new PipelineError(
    'download-wrong',
    `${what} is not the file that was expected: its SHA-256 is ${found}, not ${expected}.`,
    {
      remedy: 'Nothing was kept of it. Try again on another network, or check models.yaml.',
    },
  );
}
