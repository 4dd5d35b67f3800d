/** Reads the weights of a TensorFlow.js graph model: uint8 tensors with a scale and a minimum, laid end to end. */

/** A dense float tensor, row-major. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

interface Quantization {
  readonly dtype: 'uint8' | 'uint16';
  readonly min: number;
  readonly scale: number;
}

interface WeightEntry {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: 'float32' | 'int32' | 'bool';
  readonly quantization?: Quantization;
}

export interface TfjsManifest {
  readonly weightsManifest: readonly { readonly weights: readonly WeightEntry[] }[];
}

const BYTES = { uint8: 1, uint16: 2, float32: 4, int32: 4, bool: 1 } as const;

/**
 * Float tensors by name; integer constants of the graph are skipped.
 * @param shard all weight shards, concatenated in manifest order.
 * @throws {RangeError} when the manifest describes more bytes than the shard holds.
 */
export function readTfjsWeights(manifest: TfjsManifest, shard: Uint8Array): Map<string, Tensor> {
  const tensors = new Map<string, Tensor>();
  let at = 0;
  for (const { name, shape, dtype, quantization } of manifest.weightsManifest.flatMap((group) => group.weights)) {
    const size = shape.reduce((a, b) => a * b, 1);
    const bytes = size * BYTES[quantization?.dtype ?? dtype];
    if (at + bytes > shard.length) throw new RangeError(`Tensor "${name}" ends beyond the weight file.`);
    if (dtype === 'float32')
      tensors.set(name, { shape, data: decode(shard.subarray(at, at + bytes), size, quantization) });
    at += bytes;
  }
  return tensors;
}

function decode(view: Uint8Array, size: number, quantization: Quantization | undefined): Float32Array {
  // A copy gives the wider views their alignment. Not `slice`, which on a Buffer does not copy.
  const bytes = new Uint8Array(view);
  if (!quantization) return new Float32Array(bytes.buffer, 0, size);
  const codes = quantization.dtype === 'uint8' ? bytes : new Uint16Array(bytes.buffer, 0, size);
  return Float32Array.from(codes, (code) => code * quantization.scale + quantization.min);
}
