/**
 * All vectors of a space in memory, for processes that answer many questions. Every vector is compared: int8 against
 * int8 first, then the best again with the query in full precision. Figures: docs/retrieval.md.
 */
import { createDotKernel, type DotKernel } from './dots.js';
import { quantize, turn } from './quantize.js';
import { ALL, type Selection } from './selection.js';

export interface StoredVector {
  readonly id: number;
  /** Int8, any scale. */
  readonly embedding: Uint8Array;
}

export interface Nearest {
  readonly id: number;
  readonly cosine: number;
}

/** Vectors ranked again for each result wanted: rounding the query moves neighbours by a few ranks, not by more. */
const RANKED_AGAIN = 4;

export class VectorMatrix {
  /** Row numbers by chunk id. */
  private readonly rowOf = new Map<number, number>();
  private readonly ids: Float64Array;
  private readonly inverseNorms: Float32Array;
  private readonly kernel: DotKernel;
  /** Cosines up to the query's length, of the question in hand. */
  private readonly coarse: Float32Array;

  /** @param count how many vectors follow; rows that do not come stay empty. */
  constructor(
    vectors: Iterable<StoredVector>,
    count: number,
    private readonly dimensions: number,
  ) {
    this.kernel = createDotKernel(count, dimensions);
    this.ids = new Float64Array(count);
    this.inverseNorms = new Float32Array(count);
    this.coarse = new Float32Array(count);
    for (const { id, embedding } of vectors) {
      const row = this.rowOf.size;
      if (row >= count) break;
      this.rowOf.set(id, row);
      this.ids[row] = id;
      const values = new Int8Array(embedding.buffer, embedding.byteOffset, dimensions);
      this.kernel.vectors.set(values, row * this.kernel.stride);
      const square = values.reduce((sum, x) => sum + x * x, 0);
      this.inverseNorms[row] = square === 0 ? 0 : 1 / Math.sqrt(square);
    }
  }

  get size(): number {
    return this.rowOf.size;
  }

  /** The nearest vectors by cosine, best first, equal ones by id; only among the selected. */
  nearest(query: Float32Array, top: number, selection: Selection = ALL): Nearest[] {
    const dots = this.kernel.dots(new Int8Array(quantize(query)));
    const { coarse, inverseNorms } = this;
    // A vector of zeros (a text without words) is near to nothing.
    const compare = (row: number): void => {
      const scale = inverseNorms[row] as number;
      coarse[row] = scale === 0 ? Number.NEGATIVE_INFINITY : (dots[row] as number) * scale;
    };
    if (selection.kind === 'only') {
      coarse.fill(Number.NEGATIVE_INFINITY);
      for (const row of this.rowsOf(selection.ids)) compare(row);
    } else {
      for (let row = 0; row < coarse.length; row++) compare(row);
      if (selection.kind === 'except')
        for (const row of this.rowsOf(selection.ids)) coarse[row] = Number.NEGATIVE_INFINITY;
    }
    const turned = turn(query);
    const factor = 1 / (Math.hypot(...query) || 1);
    return best(coarse, top * RANKED_AGAIN)
      .map((row) => ({ id: this.ids[row] as number, cosine: this.cosine(row, turned) * factor }))
      .sort((a, b) => b.cosine - a.cosine || a.id - b.id)
      .slice(0, top);
  }

  /** Cosines of chosen chunks; those without a vector are left out. */
  similarities(ids: Iterable<number>, query: Float32Array): Map<number, number> {
    const turned = turn(query);
    const factor = 1 / (Math.hypot(...query) || 1);
    const out = new Map<number, number>();
    for (const row of this.rowsOf(ids)) {
      if (this.inverseNorms[row] !== 0) out.set(this.ids[row] as number, this.cosine(row, turned) * factor);
    }
    return out;
  }

  private cosine(row: number, turned: Float32Array): number {
    const { vectors, stride } = this.kernel;
    let dot = 0;
    for (let d = 0, at = row * stride; d < this.dimensions; d++, at++) {
      dot += (vectors[at] as number) * (turned[d] as number);
    }
    return dot * (this.inverseNorms[row] as number);
  }

  private *rowsOf(ids: Iterable<number>): Generator<number> {
    for (const id of ids) {
      const row = this.rowOf.get(id);
      if (row !== undefined) yield row;
    }
  }
}

/** Indexes of the largest finite values, in no order: those at or above the smallest of the `count` largest. */
function best(values: Float32Array, count: number): number[] {
  const limit = kthLargest(values, count);
  const out: number[] = [];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value >= limit && value !== Number.NEGATIVE_INFINITY) out.push(i);
  }
  return out;
}

/** Keeps the `k` largest in a heap whose root is the smallest of them: nearly all values fail one comparison. */
function kthLargest(values: Float32Array, k: number): number {
  const heap = new Float32Array(k).fill(Number.NEGATIVE_INFINITY);
  let smallest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value <= smallest) continue;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= k) break;
      const right = left + 1;
      const child = right < k && (heap[right] as number) < (heap[left] as number) ? right : left;
      if ((heap[child] as number) >= value) break;
      heap[at] = heap[child] as number;
      at = child;
    }
    heap[at] = value;
    smallest = heap[0] as number;
  }
  return smallest;
}
