/** The weights of a BERT encoder under plain names, taken from a TensorFlow.js export of all-MiniLM-L6-v2. */
import type { Tensor } from './tfjs-weights.js';

export interface Dense {
  /** [in, out], row-major. */
  readonly weight: Tensor;
  readonly bias: Tensor;
}

export interface Norm {
  readonly gamma: Tensor;
  readonly beta: Tensor;
}

export interface BertLayer {
  readonly query: Dense;
  readonly key: Dense;
  readonly value: Dense;
  readonly attentionOutput: Dense;
  readonly attentionNorm: Norm;
  readonly intermediate: Dense;
  readonly output: Dense;
  readonly outputNorm: Norm;
}

export interface BertWeights {
  readonly hidden: number;
  readonly heads: number;
  /** Largest number of tokens the position table covers. */
  readonly positions: number;
  /** [vocabulary, hidden]. */
  readonly words: Tensor;
  /** [positions, hidden], with the (always zeroth) token type row added. */
  readonly positionsAndType: Tensor;
  readonly embeddingNorm: Norm;
  readonly layers: readonly BertLayer[];
}

/** all-MiniLM-L6-v2: 12 heads, LayerNorm epsilon 1e-12, gelu with erf. */
export const HEADS = 12;
export const LAYER_NORM_EPSILON = 1e-12;

const ROOT = 'StatefulPartitionedCall/model/tf_bert_model/bert';

/**
 * Maps the export's tensor names to a BERT.
 * @throws {Error} naming the first tensor that is missing.
 */
export function bertFromTfjs(tensors: ReadonlyMap<string, Tensor>): BertWeights {
  const get = (name: string): Tensor => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`The model has no tensor "${name}"; it is not the expected export.`);
    return tensor;
  };
  const dense = (at: string): Dense => ({
    weight: get(`${at}/Tensordot/ReadVariableOp`),
    bias: get(`${at}/BiasAdd/ReadVariableOp`),
  });
  const norm = (at: string): Norm => ({
    gamma: get(`${at}/LayerNorm/batchnorm/mul/ReadVariableOp`),
    beta: get(`${at}/LayerNorm/batchnorm/ReadVariableOp`),
  });
  const words = get('unknown');
  const positions = get('unknown_0');
  const types = get('unknown_1');
  const hidden = words.shape[1] ?? 0;
  const layers: BertLayer[] = [];
  for (let i = 0; tensors.has(`${ROOT}/encoder/layer_._${i}/output/dense/BiasAdd/ReadVariableOp`); i++) {
    const at = `${ROOT}/encoder/layer_._${i}`;
    layers.push({
      query: dense(`${at}/attention/self/query`),
      key: dense(`${at}/attention/self/key`),
      value: dense(`${at}/attention/self/value`),
      attentionOutput: dense(`${at}/attention/output/dense`),
      attentionNorm: norm(`${at}/attention/output`),
      intermediate: dense(`${at}/intermediate/dense`),
      output: dense(`${at}/output/dense`),
      outputNorm: norm(`${at}/output`),
    });
  }
  const withType = positions.data.map((value, i) => value + (types.data[i % hidden] ?? 0));
  return {
    hidden,
    heads: HEADS,
    positions: positions.shape[0] ?? 0,
    words,
    positionsAndType: { shape: positions.shape, data: withType },
    embeddingNorm: norm(`${ROOT}/embeddings`),
    layers,
  };
}
