/** The file of a static embedding model: vocabulary, one int8 row a token, one scale a row. */
import { ConfigError, messageOf } from '../../runner/errors.js';

const MAGIC = 'SLUICE-STATIC-1\n';

export interface StaticTable {
  readonly dimensions: number;
  /** Tokens in id order; extra whole words stand after the base WordPiece vocabulary. */
  readonly vocabulary: readonly string[];
  /** [tokens, dimensions], row-major. */
  readonly rows: Int8Array;
  /** What one step of a row is worth; token weights are already in it. */
  readonly scales: Float32Array;
}

/** Layout: magic, u32 header length, JSON header {dimensions, tokens, vocabularyBytes}, vocabulary (newline-separated UTF-8), padding to 4, scales, rows. Little-endian. */
export function writeStaticTable(table: StaticTable): Uint8Array {
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
export function readStaticTable(file: Uint8Array, name: string): StaticTable {
  const corrupt = (why: string): ConfigError =>
    new ConfigError('model-corrupt', `The model file is damaged: ${why}.`, {
      file: name,
      remedy: 'Install the package again, or run `pipeline models pull`.',
    });
  const text = new TextDecoder();
  if (text.decode(file.subarray(0, MAGIC.length)) !== MAGIC) throw corrupt('it does not start like a static table');
  const headerLength = new DataView(file.buffer, file.byteOffset).getUint32(MAGIC.length, true);
  const headerAt = MAGIC.length + 4;
  let header: Record<string, number>;
  try {
    header = JSON.parse(text.decode(file.subarray(headerAt, headerAt + headerLength))) as typeof header;
  } catch (cause) {
    throw corrupt(`its header is not JSON (${messageOf(cause)})`);
  }
  const { dimensions, tokens, vocabularyBytes } = header;
  if (!dimensions || !tokens || !vocabularyBytes) throw corrupt('its header is incomplete');
  const vocabularyAt = headerAt + headerLength;
  const scalesAt = align(vocabularyAt + vocabularyBytes);
  const rowsAt = scalesAt + tokens * 4;
  if (file.length !== rowsAt + tokens * dimensions) throw corrupt('its length is wrong');
  // A copy gives the float view its alignment. Not `slice`, which on a Buffer does not copy.
  const scales = new Float32Array(new Uint8Array(file.subarray(scalesAt, rowsAt)).buffer);
  return {
    dimensions,
    vocabulary: text.decode(file.subarray(vocabularyAt, vocabularyAt + vocabularyBytes)).split('\n'),
    scales,
    rows: new Int8Array(file.buffer, file.byteOffset + rowsAt, tokens * dimensions),
  };
}

const align = (at: number): number => (at + 3) & ~3;

/** Float rows to int8 with one scale a row; the largest component becomes ±127. */
export function quantiseRows(values: Float32Array, dimensions: number): Pick<StaticTable, 'rows' | 'scales'> {
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
