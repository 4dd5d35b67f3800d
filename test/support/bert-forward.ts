/** A BERT forward pass in plain TypeScript, written from the paper and not from the ONNX writer: what the graph must equal. */
import { type BertWeights, type Dense, LAYER_NORM_EPSILON, type Norm } from '../../lib/embedding/bert.js';
import { normaliseVector } from '../../lib/embedding/vector.js';

type Rows = Float64Array[];

/** One text's token ids, special tokens included -> mean of the last states, L2-normalised. */
export function bertForward(bert: BertWeights, ids: readonly number[]): Float32Array {
  const { hidden, heads } = bert;
  let x: Rows = ids.map((id, position) => {
    const row = new Float64Array(hidden);
    for (let d = 0; d < hidden; d++)
      row[d] =
        (bert.words.data[id * hidden + d] as number) + (bert.positionsAndType.data[position * hidden + d] as number);
    return layerNorm(row, bert.embeddingNorm);
  });
  for (const layer of bert.layers) {
    const query = x.map((row) => apply(layer.query, row));
    const key = x.map((row) => apply(layer.key, row));
    const value = x.map((row) => apply(layer.value, row));
    const attended = attention(query, key, value, heads);
    x = x.map((row, t) =>
      layerNorm(add(apply(layer.attentionOutput, attended[t] as Float64Array), row), layer.attentionNorm),
    );
    x = x.map((row) =>
      layerNorm(add(apply(layer.output, apply(layer.intermediate, row).map(gelu)), row), layer.outputNorm),
    );
  }
  const mean = new Float32Array(hidden);
  for (const row of x) for (let d = 0; d < hidden; d++) mean[d] = (mean[d] as number) + (row[d] as number) / x.length;
  return normaliseVector(mean);
}

function attention(query: Rows, key: Rows, value: Rows, heads: number): Rows {
  const hidden = query[0]?.length ?? 0;
  const width = hidden / heads;
  return query.map((q) => {
    const out = new Float64Array(hidden);
    for (let from = 0; from < hidden; from += width) {
      const scores = key.map((k) => {
        let dot = 0;
        for (let d = from; d < from + width; d++) dot += (q[d] as number) * (k[d] as number);
        return dot / Math.sqrt(width);
      });
      const most = Math.max(...scores);
      const shares = scores.map((s) => Math.exp(s - most));
      const sum = shares.reduce((a, b) => a + b, 0);
      value.forEach((v, t) => {
        const share = (shares[t] as number) / sum;
        for (let d = from; d < from + width; d++) out[d] = (out[d] as number) + share * (v[d] as number);
      });
    }
    return out;
  });
}

function apply({ weight, bias }: Dense, row: Float64Array): Float64Array {
  const columns = weight.shape[1] ?? 0;
  const { data } = weight;
  const out = Float64Array.from(bias.data);
  for (let i = 0, at = 0; i < row.length; i++) {
    const x = row[i] as number;
    for (let j = 0; j < columns; j++, at++) out[j] = (out[j] as number) + x * (data[at] as number);
  }
  return out;
}

function layerNorm(row: Float64Array, { gamma, beta }: Norm): Float64Array {
  const mean = row.reduce((a, b) => a + b, 0) / row.length;
  const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / row.length;
  return row.map(
    (x, d) =>
      ((x - mean) / Math.sqrt(variance + LAYER_NORM_EPSILON)) * (gamma.data[d] as number) + (beta.data[d] as number),
  );
}

const add = (a: Float64Array, b: Float64Array): Float64Array => a.map((x, d) => x + (b[d] as number));

const gelu = (x: number): number => 0.5 * x * (1 + erf(x / Math.SQRT2));

/** Maclaurin series near zero, exact to 1e-12 there; beyond 4 the function is 1 to 1.5e-8. */
function erf(x: number): number {
  if (Math.abs(x) > 4) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; n < 80; n++) {
    term *= (-x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}
