/** The file of a static embedding model: vocabulary, one int8 row a token, one scale a row. */
import { ConfigError, messageOf } from '../../runner/errors.js';
import type { ByteSource } from './byte-source.js';

const MAGIC = 'SLUICE-STATIC-1\n';

/** What a table is made of when it is written. */
export interface StaticTableParts {
  readonly dimensions: number;
  /** Tokens in id order; extra whole words stand after the base WordPiece vocabulary. */
  readonly vocabulary: readonly string[];
  /** [tokens, dimensions], row-major. */
  readonly rows: Int8Array;
  /** What one step of a row is worth; token weights are already in it. */
  readonly scales: Float32Array;
}

/** The rows of a model: a question needs a dozen of them, an index run all. */
export interface TokenRows {
  readonly dimensions: number;
  /** One a token. */
  readonly scales: Float32Array;
  /** [tokens, dimensions]; read as a whole at the first call. */
  all(): Int8Array;
  /** One token's row, read alone unless the whole is in memory. */
  one(id: number): Int8Array;
  close(): void;
}

export interface StaticTable extends TokenRows {
  /** Newline-separated UTF-8, in id order. */
  readonly vocabulary: Uint8Array;
}

/** Rows that are in memory. */
export function rowsInMemory(dimensions: number, rows: Int8Array, scales: Float32Array): TokenRows {
  return {
    dimensions,
    scales,
    all: () => rows,
    one: (id) => rows.subarray(id * dimensions, (id + 1) * dimensions),
    close: () => undefined,
  };
}

/** Layout: magic, u32 header length, JSON header {dimensions, tokens, vocabularyBytes}, vocabulary (newline-separated UTF-8), padding to 4, scales, rows. Little-endian. */
export function writeStaticTable(table: StaticTableParts): Uint8Array {
  const vocabulary = new TextEncoder().encode(table.vocabulary.join('\n'));
  const header = new TextEncoder().encode(
    JSON.stringify({
      dimensions: table.dimensions,
      tokens: table.vocabulary.length,
      vocabularyBytes: vocabulary.length,
    }),
  );
  const vocabularyAt = MAGIC.length + 4 + header.length;
  const scalesAt = align(vocabularyAt + vocabulary.length);
  const rowsAt = scalesAt + table.scales.byteLength;
  const file = new Uint8Array(rowsAt + table.rows.byteLength);
  file.set(new TextEncoder().encode(MAGIC));
  new DataView(file.buffer).setUint32(MAGIC.length, header.length, true);
  file.set(header, MAGIC.length + 4);
  file.set(vocabulary, vocabularyAt);
  file.set(new Uint8Array(table.scales.buffer, table.scales.byteOffset, table.scales.byteLength), scalesAt);
  file.set(new Uint8Array(table.rows.buffer, table.rows.byteOffset, table.rows.byteLength), rowsAt);
  return file;
}

/** @throws {ConfigError} `model-corrupt` when the bytes are not a whole table. */
export function readStaticTable(source: ByteSource, name: string): StaticTable {
  const corrupt = (why: string, cause?: unknown): ConfigError =>
    new ConfigError('model-corrupt', `The model file is damaged: ${why}.`, {
      file: name,
      cause,
      remedy: 'Install the package again, or run `pipeline models pull`.',
    });
  const { dimensions, tokens, vocabularyBytes, vocabularyAt } = readHeader(source, corrupt);
  const scalesAt = align(vocabularyAt + vocabularyBytes);
  const rowsAt = scalesAt + tokens * 4;
  if (source.length !== rowsAt + tokens * dimensions) throw corrupt('its length is wrong');
  const head = source.read(vocabularyAt, rowsAt - vocabularyAt);
  // A copy gives the float view its alignment.
  const scales = new Float32Array(new Uint8Array(head.subarray(scalesAt - vocabularyAt)).buffer);
  const int8 = (at: number, length: number): Int8Array => {
    const bytes = source.read(at, length);
    return new Int8Array(bytes.buffer, bytes.byteOffset, length);
  };
  let rows: Int8Array | undefined;
  return {
    dimensions,
    scales,
    vocabulary: head.subarray(0, vocabularyBytes),
    all: () => {
      rows ??= int8(rowsAt, tokens * dimensions);
      return rows;
    },
    one: (id) => rows?.subarray(id * dimensions, (id + 1) * dimensions) ?? int8(rowsAt + id * dimensions, dimensions),
    close: () => source.close(),
  };
}

interface Header {
  readonly dimensions: number;
  readonly tokens: number;
  readonly vocabularyBytes: number;
  readonly vocabularyAt: number;
}

function readHeader(source: ByteSource, corrupt: (why: string, cause?: unknown) => ConfigError): Header {
  const text = new TextDecoder();
  const headerAt = MAGIC.length + 4;
  if (source.length < headerAt || text.decode(source.read(0, MAGIC.length)) !== MAGIC)
    throw corrupt('it does not start like a static table');
  const [headerLength = 0] = new Uint32Array(new Uint8Array(source.read(MAGIC.length, 4)).buffer);
  let header: Partial<Header>;
  try {
    header = JSON.parse(text.decode(source.read(headerAt, headerLength))) as typeof header;
  } catch (cause) {
    throw corrupt(`its header is not JSON (${messageOf(cause)})`, cause);
  }
  const { dimensions, tokens, vocabularyBytes } = header;
  if (!dimensions || !tokens || !vocabularyBytes) throw corrupt('its header is incomplete');
  return { dimensions, tokens, vocabularyBytes, vocabularyAt: headerAt + headerLength };
}

const align = (at: number): number => (at + 3) & ~3;

/** Float rows to int8 with one scale a row; the largest component becomes ±127. */
export function quantiseRows(values: Float32Array, dimensions: number): Pick<StaticTableParts, 'rows' | 'scales'> {
  const tokens = values.length / dimensions;
  const rows = new Int8Array(values.length);
  const scales = new Float32Array(tokens);
  for (let t = 0; t < tokens; t++) {
    const row = values.subarray(t * dimensions, (t + 1) * dimensions);
    const largest = row.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
    const scale = largest / 127 || 1;
    scales[t] = scale;
    for (let d = 0; d < dimensions; d++) rows[t * dimensions + d] = Math.round((row[d] ?? 0) / scale);
  }
  return { rows, scales };
}
