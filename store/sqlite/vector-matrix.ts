/**
 * All vectors of a space in memory. Every one is compared: int8 against int8 first, then the best again with the query
 * in full precision. Figures: docs/retrieval.md.
 */
import { createDotKernel, type DotKernel } from './dots.js';
import { quantize, turn } from './quantize.js';
import { ALL, type Selection } from './selection.js';

/** Vectors side by side, as vec0 keeps them; some places are not in use. */
export interface VectorBlock {
  /** 64-bit integers, low half first. */
  readonly ids: Uint32Array;
  /** A bit for each place that is in use, the lowest first. */
  readonly used: Uint8Array;
  /** Int8, any scale, a vector after the other. */
  readonly vectors: Int8Array;
}

export interface Nearest {
  readonly id: number;
  readonly cosine: number;
}

/** Vectors ranked again for each result wanted: rounding the query moves neighbours by a few ranks, not by more. */
export const RANKED_AGAIN = 4;

const FEW = 256;

export class VectorMatrix {
  private readonly ids: Float64Array;
  private readonly inverseNorms: Float32Array;
  private readonly kernel: DotKernel;
  /** Cosines up to the query's length, of the question in hand. */
  private readonly coarse: Float32Array;
  /** How many vectors there are. */
  readonly size: number;
  private rows: Map<number, number> | undefined;

  /** @param count how many vectors follow at most; rows that do not come stay empty. */
  constructor(
    blocks: Iterable<VectorBlock>,
    count: number,
    private readonly dimensions: number,
  ) {
    this.kernel = createDotKernel(count, dimensions);
    this.ids = new Float64Array(count);
    this.coarse = new Float32Array(count);
    let row = 0;
    for (const block of blocks) {
      for (const [from, end] of runs(block.used, block.ids.length / 2)) {
        const to = Math.min(end, from + count - row);
        this.copy(block, from, to, row);
        row += to - from;
      }
    }
    this.size = row;
    this.inverseNorms = Float32Array.from(this.kernel.squares(), (square) =>
      square === 0 ? 0 : 1 / Math.sqrt(square),
    );
  }

  /** Places next to each other in one go: full blocks are the rule, and 50,700 single vectors took three times as long. */
  private copy({ ids, vectors }: VectorBlock, from: number, to: number, row: number): void {
    // By halves: a BigInt64Array would make an object of each id.
    for (let place = from; place < to; place++)
      this.ids[row + place - from] = (ids[2 * place] as number) + (ids[2 * place + 1] as number) * 2 ** 32;
    const { dimensions } = this;
    const { stride } = this.kernel;
    if (stride === dimensions) {
      this.kernel.vectors.set(vectors.subarray(from * dimensions, to * dimensions), row * stride);
      return;
    }
    for (let place = from; place < to; place++) {
      const vector = vectors.subarray(place * dimensions, (place + 1) * dimensions);
      this.kernel.vectors.set(vector, (row + place - from) * stride);
    }
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
  similarities(ids: readonly number[], query: Float32Array): Map<number, number> {
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

  private *rowsOf(ids: readonly number[]): Generator<number> {
    // For the few dozen of a question a search of each is quicker than a table of all.
    const table = ids.length < FEW ? undefined : this.table();
    for (const id of ids) {
      const row = table ? (table.get(id) ?? -1) : this.ids.indexOf(id);
      if (row !== -1) yield row;
    }
  }

  private table(): Map<number, number> {
    this.rows ??= new Map(Array.from(this.ids.subarray(0, this.size), (id, row) => [id, row]));
    return this.rows;
  }
}

/** Stretches of places in use among the first `places`, as half-open ranges. */
function* runs(used: Uint8Array, places: number): Generator<readonly [from: number, to: number]> {
  const isUsed = (place: number): boolean => (((used[place >> 3] as number) >> (place & 7)) & 1) === 1;
  for (let from = 0; from < places; ) {
    let to = from;
    while (to < places && isUsed(to)) to++;
    if (to > from) yield [from, to];
    from = to + 1;
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
