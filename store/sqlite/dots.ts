/** Dot products of int8 vectors by WebAssembly SIMD: sixteen components an instruction, which JavaScript cannot say. */

/**
 * `dots.wat`, assembled with wabt 1.0.39's `parseWat(…, { simd: true }).toBinary({})`: 216 bytes, no dependency at run
 * time. Measured on 50,700 x 256: 1.4 ms; the same loop in JavaScript takes 17 ms, sqlite-vec's scan 16 to 21 ms.
 */
const MODULE =
  'AGFzbQEAAAABCQFgBX9/f39/AAIPAQNlbnYGbWVtb3J5AgABAwIBAAcIAQRkb3RzAAAKowEBoAECAn8DewJAA0AgAkUNAf0MAAAAAAAAAAAAAAAAAAAAACEHIAAhBiABIANqIQUDQCAB/QAEACEIIAb9AAQAIQkgByAIIAn9nAH9fiAIIAn9nQH9fv2uAf2uASEHIAFBEGohASAGQRBqIQYgASAFSQ0ACyAEIAf9GwAgB/0bAWogB/0bAiAH/RsDamo2AgAgBEEEaiEEIAJBAWshAgwACwsL';

const PAGE = 65_536;

/** Room for vectors in the module's memory, and the product with all of them. */
export interface DotKernel {
  /** Vectors, `stride` bytes each, zero beyond the dimensions. */
  readonly vectors: Int8Array;
  readonly stride: number;
  /** Dot product of `query` (at most `stride` components) with every vector. The array is used again by the next call. */
  dots(query: Int8Array): Int32Array;
  /** Dot product of every vector with itself. The array is the same as that of `dots`. */
  squares(): Int32Array;
}

/** @throws {RangeError} when the memory cannot be had; 50,700 vectors of 256 take 13 MB. */
export function createDotKernel(count: number, dimensions: number): DotKernel {
  const stride = Math.ceil(dimensions / 16) * 16;
  const [queryAt, vectorsAt, outAt] = [0, stride, stride + count * stride];
  const memory = new WebAssembly.Memory({ initial: Math.ceil((outAt + count * 4) / PAGE) || 1 });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(MODULE, 'base64')), { env: { memory } });
  const run = instance.exports['dots'] as (
    query: number,
    vectors: number,
    n: number,
    stride: number,
    out: number,
  ) => void;
  const query = new Int8Array(memory.buffer, queryAt, stride);
  const out = new Int32Array(memory.buffer, outAt, count);
  return {
    vectors: new Int8Array(memory.buffer, vectorsAt, count * stride),
    stride,
    dots(given) {
      query.fill(0);
      query.set(given);
      run(queryAt, vectorsAt, count, stride, outAt);
      return out;
    },
    squares() {
      for (let i = 0; i < count; i++) run(vectorsAt + i * stride, vectorsAt + i * stride, 1, stride, outAt + 4 * i);
      return out;
    },
  };
}
