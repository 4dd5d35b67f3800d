/** The student: a table of token vectors whose normalised sum is the text's vector; trained by Adam on touched rows only. */
import { addProduct, timesTransposed, transposed } from './linear-algebra.js';

export interface Losses {
  /** 1 - cosine to the teacher, mean over titles and texts. */
  distance: number;
  /** In-batch contrastive title -> text. */
  contrastive: number;
  /** Cross entropy to the teacher's in-batch scores. */
  scores: number;
}

export interface TrainingWeights {
  readonly contrastive: number;
  readonly scores: number;
  readonly temperature: number;
}

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-8;

interface Forward {
  /** Sums before normalisation, [n, d]. */
  readonly sums: Float32Array;
  readonly norms: Float32Array;
  /** Unit vectors, [n, d]. */
  readonly units: Float32Array;
}

export class Student {
  private readonly m: Float32Array;
  private readonly v: Float32Array;
  private readonly gradient: Float32Array;
  private readonly touched: Int32Array;
  private readonly isTouched: Uint8Array;
  private touchedCount = 0;
  private steps = 0;

  constructor(
    /** [tokens, d]; changed in place. */
    readonly table: Float32Array,
    readonly dimensions: number,
  ) {
    const tokens = table.length / dimensions;
    this.m = new Float32Array(table.length);
    this.v = new Float32Array(table.length);
    this.gradient = new Float32Array(table.length);
    this.touched = new Int32Array(tokens);
    this.isTouched = new Uint8Array(tokens);
  }

  forward(texts: readonly Int32Array[]): Forward {
    const d = this.dimensions;
    const sums = new Float32Array(texts.length * d);
    const norms = new Float32Array(texts.length);
    texts.forEach((ids, i) => {
      for (const id of ids) {
        for (let k = 0; k < d; k++) sums[i * d + k] = (sums[i * d + k] as number) + (this.table[id * d + k] as number);
      }
      let square = 1e-12;
      for (let k = 0; k < d; k++) square += (sums[i * d + k] as number) ** 2;
      norms[i] = Math.sqrt(square);
    });
    const units = sums.map((x, i) => x / (norms[Math.floor(i / d)] as number));
    return { sums, norms, units };
  }

  /** One step on a batch of pairs; teacher rows are unit vectors [n, d] in the student's space. */
  step(
    titles: readonly Int32Array[],
    texts: readonly Int32Array[],
    teacherTitles: Float32Array,
    teacherTexts: Float32Array,
    rate: number,
    weights: TrainingWeights,
  ): Losses {
    const n = titles.length;
    const d = this.dimensions;
    const a = this.forward(titles);
    const b = this.forward(texts);
    const ga = new Float32Array(n * d);
    const gb = new Float32Array(n * d);
    const distance = (pullTo(a.units, teacherTitles, ga, n) + pullTo(b.units, teacherTexts, gb, n)) / 2;

    const scores = timesTransposed(a.units, b.units, n, n, d);
    const teacher = timesTransposed(teacherTitles, teacherTexts, n, n, d);
    const { gradient, contrastive, distilled } = scoreGradient(scores, teacher, n, weights);
    addProduct(ga, gradient, b.units, n, n, d, 1);
    addProduct(gb, transposed(gradient, n, n), a.units, n, n, d, 1);

    this.backward(titles, a, ga);
    this.backward(texts, b, gb);
    this.update(rate);
    return { distance, contrastive, scores: distilled };
  }

  /** Through the normalisation and the sum: each token of a text gets the same gradient. */
  private backward(texts: readonly Int32Array[], { units, norms }: Forward, gradient: Float32Array): void {
    const d = this.dimensions;
    const row = new Float32Array(d);
    texts.forEach((ids, i) => {
      let along = 0;
      for (let k = 0; k < d; k++) along += (units[i * d + k] as number) * (gradient[i * d + k] as number);
      const norm = norms[i] as number;
      for (let k = 0; k < d; k++)
        row[k] = ((gradient[i * d + k] as number) - along * (units[i * d + k] as number)) / norm;
      for (const id of ids) {
        if (this.isTouched[id] === 0) {
          this.isTouched[id] = 1;
          this.touched[this.touchedCount++] = id;
        }
        for (let k = 0; k < d; k++)
          this.gradient[id * d + k] = (this.gradient[id * d + k] as number) + (row[k] as number);
      }
    });
  }

  private update(rate: number): void {
    const d = this.dimensions;
    this.steps++;
    const correct1 = 1 - BETA1 ** this.steps;
    const correct2 = 1 - BETA2 ** this.steps;
    for (let t = 0; t < this.touchedCount; t++) {
      const id = this.touched[t] as number;
      this.isTouched[id] = 0;
      for (let at = id * d; at < (id + 1) * d; at++) {
        const g = this.gradient[at] as number;
        this.gradient[at] = 0;
        const m = BETA1 * (this.m[at] as number) + (1 - BETA1) * g;
        const v = BETA2 * (this.v[at] as number) + (1 - BETA2) * g * g;
        this.m[at] = m;
        this.v[at] = v;
        this.table[at] = (this.table[at] as number) - (rate * (m / correct1)) / (Math.sqrt(v / correct2) + EPSILON);
      }
    }
    this.touchedCount = 0;
  }
}

/** Adds the gradient of mean(1 - cosine) and returns the loss. */
function pullTo(units: Float32Array, targets: Float32Array, gradient: Float32Array, n: number): number {
  let dots = 0;
  for (let i = 0; i < units.length; i++) {
    dots += (units[i] as number) * (targets[i] as number);
    gradient[i] = (gradient[i] as number) - (targets[i] as number) / n;
  }
  return 1 - dots / n;
}

/** Gradient of both score losses with respect to the [n, n] cosines; titles are rows, texts are columns. */
function scoreGradient(
  scores: Float32Array,
  teacher: Float32Array,
  n: number,
  { contrastive: wc, scores: ws, temperature }: TrainingWeights,
): { gradient: Float32Array; contrastive: number; distilled: number } {
  const gradient = new Float32Array(n * n);
  let contrastive = 0;
  let distilled = 0;
  for (let i = 0; i < n; i++) {
    const p = softmax(scores, i * n, n, temperature);
    const q = softmax(teacher, i * n, n, temperature);
    contrastive -= Math.log((p[i] as number) + 1e-12) / n;
    for (let j = 0; j < n; j++) {
      const own = j === i ? 1 : 0;
      const pj = p[j] as number;
      const qj = q[j] as number;
      distilled -= (qj * Math.log(pj + 1e-12)) / n;
      gradient[i * n + j] = (wc * (pj - own) + ws * (pj - qj)) / (n * temperature);
    }
  }
  return { gradient, contrastive, distilled };
}

function softmax(values: Float32Array, from: number, n: number, temperature: number): Float32Array {
  const out = new Float32Array(n);
  let most = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < n; j++) most = Math.max(most, values[from + j] as number);
  let sum = 0;
  for (let j = 0; j < n; j++) {
    const e = Math.exp(((values[from + j] as number) - most) / temperature);
    out[j] = e;
    sum += e;
  }
  for (let j = 0; j < n; j++) out[j] = (out[j] as number) / sum;
  return out;
}
