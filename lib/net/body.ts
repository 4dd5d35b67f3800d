/** Reads a response body with a limit that counts bytes after decompression, so that a small bomb cannot become large. */
import { Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { PipelineError } from '../../runner/errors.js';

/** Servers that compress twice exist; three times is an attack. */
const MAX_ENCODINGS = 2;

/** Like browsers: what a cut-off stream held before the cut is kept. */
const LENIENT = { finishFlush: constants.Z_SYNC_FLUSH };

/**
 * Collects a body. The stream is destroyed at the limit: no more than one chunk beyond it is ever held.
 * @throws {PipelineError} `http-too-large`, `http-encoding`.
 */
export async function readBody(body: Readable, encoding: string | undefined, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = await decompressed(body, encoding);
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } finally {
    stream.destroy();
    body.destroy();
  }
  return Buffer.concat(chunks, size);
}

export function tooLarge(maxBytes: number): PipelineError {
  return new PipelineError('http-too-large', `The answer is larger than ${Math.round(maxBytes / 1024)} KiB.`, {
    remedy: 'Raise http.maxFeedBytes or http.maxPageBytes in config.yaml if it is wanted.',
  });
}

async function decompressed(body: Readable, encoding: string | undefined): Promise<Readable> {
  const names = (encoding ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > MAX_ENCODINGS) throw unknownEncoding(encoding);
  let stream = body;
  for (const name of names.reverse()) stream = await through(stream, name);
  return stream;
}

async function through(source: Readable, name: string): Promise<Readable> {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return joined(source, createGunzip(LENIENT));
    case 'br':
      return joined(source, createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH }));
    case 'deflate':
      return inflated(source);
    default:
      throw unknownEncoding(name);
  }
}

/** "deflate" means zlib, but some servers send it without the zlib header: the first byte tells. */
async function inflated(source: Readable): Promise<Readable> {
  const chunks = source[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const first = await chunks.next();
  if (first.done) return Readable.from([]);
  const hasHeader = ((first.value[0] ?? 0) & 0x0f) === 8;
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return joined(Readable.from(all()), hasHeader ? createInflate(LENIENT) : createInflateRaw(LENIENT));
}

/** `pipe` does not pass errors on; an aborted exchange must end the reader too. */
function joined(source: Readable, target: Transform): Readable {
  source.on('error', (error) => target.destroy(error));
  return source.pipe(target);
}

function unknownEncoding(encoding: string | undefined): PipelineError {
  return new PipelineError(
    'http-encoding',
    `The server answered in the encoding "${encoding}", which was not asked for.`,
  );
}
