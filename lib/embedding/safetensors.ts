/** Reads safetensors files: a JSON header with names, types and offsets, then the bytes of the tensors. */
import { ConfigError, messageOf } from '../../runner/errors.js';

export interface SafeTensor {
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Little-endian values, as they stand in the file. */
  readonly bytes: Uint8Array;
}

/** A header larger than this is an attack or no header. */
const LARGEST_HEADER = 16 * 1024 * 1024;

/**
 * Tensors by name, without copying.
 * @throws {ConfigError} `model-corrupt` when header, offsets and file do not agree.
 */
export function readSafeTensors(file: Uint8Array, name: string): ReadonlyMap<string, SafeTensor> {
  const corrupt = (why: string): ConfigError =>
    new ConfigError('model-corrupt', `The model file is damaged: ${why}.`, {
      file: name,
      remedy: 'Run `pipeline models pull` again.',
    });
  if (file.length < 8) throw corrupt('it is too short');
  const length = new DataView(file.buffer, file.byteOffset).getBigUint64(0, true);
  if (length > BigInt(Math.min(LARGEST_HEADER, file.length - 8))) throw corrupt('its header is longer than the file');
  const dataAt = 8 + Number(length);
  let header: Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;
  try {
    header = JSON.parse(new TextDecoder().decode(file.subarray(8, dataAt))) as typeof header;
  } catch (cause) {
    throw corrupt(`its header is not JSON (${messageOf(cause)})`);
  }
  const tensors = new Map<string, SafeTensor>();
  for (const [key, { dtype, shape, data_offsets: [from, to] = [0, -1] }] of Object.entries(header)) {
    if (key === '__metadata__') continue;
    if (!(from >= 0 && to >= from && dataAt + to <= file.length)) throw corrupt(`"${key}" lies outside the file`);
    tensors.set(key, { dtype, shape, bytes: file.subarray(dataAt + from, dataAt + to) });
  }
  return tensors;
}

/**
 * Values as floats.
 * @throws {ConfigError} `model-corrupt` for a type no embedding table uses.
 */
export function floatsOf({ dtype, bytes, shape }: SafeTensor, name: string): Float32Array {
  const size = shape.reduce((a, b) => a * b, 1);
  // A copy gives the typed views their alignment. Not `slice`, which on a Buffer does not copy.
  const { buffer } = new Uint8Array(bytes);
  const values = ((): ArrayLike<number> | undefined => {
    switch (dtype) {
      case 'F32':
        return new Float32Array(buffer);
      case 'F64':
        return new Float64Array(buffer);
      case 'F16':
        return Float32Array.from(new Uint16Array(buffer), halfToFloat);
      case 'I8':
        return new Int8Array(buffer);
      case 'I32':
        return new Int32Array(buffer);
      case 'I64':
        return Float64Array.from(new BigInt64Array(buffer), Number);
      default:
        return undefined;
    }
  })();
  if (!values || values.length !== size)
    throw new ConfigError(
      'model-corrupt',
      `The model holds a tensor that cannot be read (${dtype}, ${shape.join(' x ')}).`,
      {
        file: name,
        remedy: 'Run `pipeline models pull` again, or choose another model.',
      },
    );
  return values instanceof Float32Array ? values : Float32Array.from(values);
}

function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
