/** Reads a response body: decompressed, and never more of it than allowed. */
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { PipelineError } from '../../runner/errors.js';

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * @param maxBytes cap after decompression: a small gzip bomb stops at the cap like any large body.
 * @throws {PipelineError} `http-too-large`, or `http-encoding` for an encoding we did not ask for.
 */
export async function readBody(
  stream: Readable,
  encoding: string | undefined,
  maxBytes: number,
  url: string,
): Promise<Uint8Array> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((e) => e.trim())
    .filter((e) => e !== '' && e !== 'identity');
  let body: Readable = stream;
  for (const name of names.reverse()) {
    const create = DECODERS[name];
    if (!create) throw new PipelineError('http-encoding', `${url} answered in the unknown encoding "${name}".`);
    const decoder = create();
    body.on('error', (error) => decoder.destroy(error));
    body = body.pipe(decoder);
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) {
      size += part.length;
      if (size > maxBytes) {
        throw new PipelineError('http-too-large', `${url} is larger than ${maxBytes} bytes.`, {
          remedy: 'Raise http.maxFeedBytes or http.maxPageBytes if you want it.',
        });
      }
      parts.push(part);
    }
  } finally {
    body.destroy();
    stream.destroy();
  }
  return Buffer.concat(parts);
}
