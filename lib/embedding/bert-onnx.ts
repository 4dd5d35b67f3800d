/** Lays a BERT encoder out as an ONNX graph with masked mean pooling, for onnxruntime. */
import { type BertWeights, type Dense, LAYER_NORM_EPSILON, type Norm } from './bert.js';
import { type OnnxNode, writeOnnx } from './onnx-writer.js';
import type { Tensor } from './tfjs-weights.js';

/** onnxruntime's own operators: fused attention is about twice as fast on a CPU as the same graph in parts. */
const FUSED = 'com.microsoft';

/**
 * Inputs `input_ids` and `attention_mask`, int64 [batch, tokens]; output `sentence_embedding`, float [batch, hidden],
 * mean over the attended tokens, not yet L2-normalised.
 */
export function bertToOnnx(bert: BertWeights): Uint8Array {
  const nodes: OnnxNode[] = [];
  const weights = new Map<string, Tensor>();
  const add = (op: string, inputs: readonly string[], output: string, rest: Partial<OnnxNode> = {}): string => {
    nodes.push({ op, inputs, outputs: [output], ...rest });
    return output;
  };
  const weight = (name: string, tensor: Tensor): string => {
    weights.set(name, tensor);
    return name;
  };
  const dense = (at: string, input: string, { weight: w, bias }: Dense): string =>
    add(
      'Add',
      [add('MatMul', [input, weight(`${at}.weight`, w)], `${at}.product`), weight(`${at}.bias`, bias)],
      `${at}.out`,
    );
  const addAndNorm = (at: string, a: string, b: string, { gamma, beta }: Norm): string =>
    add(
      'LayerNormalization',
      [add('Add', [a, b], `${at}.sum`), weight(`${at}.gamma`, gamma), weight(`${at}.beta`, beta)],
      `${at}.norm`,
      {
        attributes: { axis: 2, epsilon: { float: LAYER_NORM_EPSILON } },
      },
    );

  add('Shape', ['input_ids'], 'shape');
  add('Gather', ['shape', 'one'], 'tokens');
  add('Slice', [weight('positions', bert.positionsAndType), 'zero', 'tokens', 'zero'], 'position');
  add('Gather', [weight('words', bert.words), 'input_ids'], 'word');
  add('Cast', ['attention_mask'], 'mask32', { attributes: { to: 6 } });
  let x = addAndNorm('embeddings', 'word', 'position', bert.embeddingNorm);
  bert.layers.forEach((layer, i) => {
    const at = `layer${i}`;
    const { weight: qkv, bias } = stack([layer.query, layer.key, layer.value]);
    const attended = add(
      'Attention',
      [x, weight(`${at}.qkv`, qkv), weight(`${at}.qkv.bias`, bias), 'mask32'],
      `${at}.attention`,
      {
        domain: FUSED,
        attributes: { num_heads: bert.heads },
      },
    );
    const y = addAndNorm(
      `${at}.first`,
      dense(`${at}.attended`, attended, layer.attentionOutput),
      x,
      layer.attentionNorm,
    );
    const wide = add('Gelu', [dense(`${at}.wide`, y, layer.intermediate)], `${at}.gelu`, { domain: FUSED });
    x = addAndNorm(`${at}.second`, dense(`${at}.narrow`, wide, layer.output), y, layer.outputNorm);
  });
  add('Cast', ['attention_mask'], 'mask', { attributes: { to: 1 } });
  add('Unsqueeze', ['mask', 'two'], 'mask3');
  add('ReduceSum', [add('Mul', [x, 'mask3'], 'masked'), 'one'], 'sum', { attributes: { keepdims: 0 } });
  add('ReduceSum', ['mask3', 'one'], 'count', { attributes: { keepdims: 0 } });
  add('Div', ['sum', 'count'], 'sentence_embedding');
  return writeOnnx({
    name: 'bert',
    nodes,
    weights,
    integers: new Map([
      ['zero', [0]],
      ['one', [1]],
      ['two', [2]],
    ]),
    inputs: new Map([
      ['input_ids', ['batch', 'tokens']],
      ['attention_mask', ['batch', 'tokens']],
    ]),
    outputs: new Map([['sentence_embedding', ['batch', bert.hidden]]]),
    opsets: new Map([
      ['', 17],
      [FUSED, 1],
    ]),
  });
}

/** [in, out] blocks side by side: [in, 3·out]. */
function stack(parts: readonly Dense[]): Dense {
  const [rows = 0, columns = 0] = parts[0]?.weight.shape ?? [];
  const width = columns * parts.length;
  const data = new Float32Array(rows * width);
  const bias = new Float32Array(width);
  parts.forEach((part, p) => {
    for (let row = 0; row < rows; row++) {
      data.set(part.weight.data.subarray(row * columns, (row + 1) * columns), row * width + p * columns);
    }
    bias.set(part.bias.data, p * columns);
  });
  return { weight: { shape: [rows, width], data }, bias: { shape: [width], data: bias } };
}
