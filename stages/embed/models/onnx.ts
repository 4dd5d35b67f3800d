/** Transformers on the CPU through onnxruntime: tokens in, mean over the attended tokens out, L2-normalised. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { spaceFingerprint } from '../../../lib/embedding/fingerprint.js';
import { normaliseVector } from '../../../lib/embedding/vector.js';
import { messageOf, PipelineError } from '../../../runner/errors.js';
import type { Embedder } from './types.js';

export interface OnnxModel {
  readonly id: string;
  readonly dimensions: number;
  /** Folder with `model.onnx`, `tokenizer.json` and `tokenizer_config.json`. */
  readonly folder: string;
  readonly maxTokens: number;
  readonly prompts: { readonly query: string; readonly document: string };
  /** Changes when the weights do; part of the fingerprint. */
  readonly version: string;
  /** Threads of one run; default: onnxruntime's own choice, one a physical core. */
  readonly threads?: number;
}

/** Padded tokens in one run. On two cores 2,048 to 8,192 measured alike; below, the calls cost; above, only memory grows. */
const BATCH_TOKENS = 4096;
/** Longer than any token on average: cutting the string first keeps the tokenizer off text the model never sees. */
const CHARACTERS_PER_TOKEN = 12;

type Runtime = typeof import('onnxruntime-node');

interface Loaded {
  readonly ort: Runtime;
  readonly session: InferenceSession;
  readonly tokenizer: Tokenizer;
}

/**
 * Cheap to create; runtime and weights are loaded by the first text.
 * `embed` rejects with `PipelineError` `model-failed` when the runtime or the files cannot be loaded.
 */
export function createOnnxEmbedder(model: OnnxModel): Embedder {
  const { id, dimensions, maxTokens, prompts } = model;
  let loading: Promise<Loaded> | undefined;
  let truncated = 0;

  const load = (): Promise<Loaded> => {
    loading ??= loadModel(model);
    // A failed load is tried again: the files may have been pulled meanwhile.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };

  const tokensOf = (tokenizer: Tokenizer, text: string): readonly number[] => {
    const head = text.slice(0, maxTokens * CHARACTERS_PER_TOKEN);
    const { ids } = tokenizer.encode(head);
    if (ids.length <= maxTokens) {
      if (head.length < text.length) truncated++;
      return ids;
    }
    truncated++;
    // The closing [SEP] stays.
    return [...ids.slice(0, maxTokens - 1), ids.at(-1) ?? 0];
  };

  return {
    id,
    dimensions,
    fingerprint: spaceFingerprint({ id, dimensions, version: `${model.version}\n${maxTokens}`, prompts }),
    get truncated() {
      return truncated;
    },
    async embed(texts, kind, signal) {
      const { ort, session, tokenizer } = await load();
      const vectors: Float32Array[] = texts.map(() => new Float32Array(dimensions));
      const tokens = texts.map((text) => (text.trim() === '' ? [] : tokensOf(tokenizer, prompts[kind] + text)));
      // Batches of like length waste no work on padding.
      const order = [...tokens.keys()]
        .filter((i) => tokens[i]?.length)
        .sort((a, b) => lengthAt(tokens, a) - lengthAt(tokens, b));
      for (const batch of batches(order, tokens)) {
        signal?.throwIfAborted();
        const pooled = await runBatch(
          ort,
          session,
          batch.map((i) => tokens[i] ?? []),
        );
        if (pooled.length !== batch.length * dimensions)
          throw new PipelineError(
            'model-dimensions',
            `The model ${id} gave ${pooled.length / batch.length} dimensions, not ${dimensions}.`,
            { file: model.folder, remedy: 'Correct `dimensions` in models.yaml.' },
          );
        for (const [row, i] of batch.entries()) {
          vectors[i] = normaliseVector(pooled.slice(row * dimensions, (row + 1) * dimensions));
        }
      }
      return vectors;
    },
    async close() {
      const loaded = await loading?.catch(() => undefined);
      loading = undefined;
      await loaded?.session.release();
    },
  };
}

async function loadModel({ id, folder, threads }: OnnxModel): Promise<Loaded> {
  try {
    const [ort, { Tokenizer: Reader }] = await Promise.all([
      import('onnxruntime-node'),
      import('@huggingface/tokenizers'),
    ]);
    const json = (name: string): object => JSON.parse(readFileSync(join(folder, name), 'utf8')) as object;
    const tokenizer = new Reader(json('tokenizer.json'), json('tokenizer_config.json'));
    const session = await ort.InferenceSession.create(join(folder, 'model.onnx'), {
      executionProviders: ['cpu'],
      graphOptimizationLevel: 'all',
      logSeverityLevel: 3,
      ...(threads === undefined ? {} : { intraOpNumThreads: threads }),
    });
    return { ort, session, tokenizer };
  } catch (cause) {
    throw new PipelineError('model-failed', `The model ${id} cannot be loaded: ${messageOf(cause)}.`, {
      file: folder,
      cause,
      remedy: `Run \`pipeline models pull ${id}\` again, or choose another model.`,
    });
  }
}

function* batches(order: readonly number[], tokens: readonly (readonly number[])[]): Generator<number[]> {
  let batch: number[] = [];
  for (const i of order) {
    // Lengths ascend, so this text would set the batch's width.
    if (batch.length > 0 && (batch.length + 1) * lengthAt(tokens, i) > BATCH_TOKENS) {
      yield batch;
      batch = [];
    }
    batch.push(i);
  }
  if (batch.length > 0) yield batch;
}

const lengthAt = (tokens: readonly (readonly number[])[], i: number): number => tokens[i]?.length ?? 0;

/** Pooled rows, [batch, dimensions], not yet of unit length. */
async function runBatch(
  ort: Runtime,
  session: InferenceSession,
  batch: readonly (readonly number[])[],
): Promise<Float32Array> {
  const width = Math.max(...batch.map((ids) => ids.length));
  const ids = new BigInt64Array(batch.length * width);
  const mask = new BigInt64Array(batch.length * width);
  batch.forEach((row, i) => {
    row.forEach((id, j) => {
      ids[i * width + j] = BigInt(id);
      mask[i * width + j] = 1n;
    });
  });
  const shape = [batch.length, width];
  const tensor = (data: BigInt64Array): Tensor => new ort.Tensor('int64', data, shape);
  const feeds: Record<string, Tensor> = { input_ids: tensor(ids), attention_mask: tensor(mask) };
  if (session.inputNames.includes('token_type_ids')) feeds['token_type_ids'] = tensor(new BigInt64Array(ids.length));
  const output = await session.run(feeds);
  const sentence = output['sentence_embedding'];
  if (sentence) return sentence.data as Float32Array;
  const tokens = Object.values(output).find((t) => t.dims.length === 3);
  if (!tokens)
    throw new PipelineError(
      'model-failed',
      `The model gives neither sentences nor tokens (${session.outputNames.join(', ')}).`,
    );
  return meanOverTokens(
    tokens.data as Float32Array,
    batch.map((row) => row.length),
    width,
  );
}

/** Mean of the rows that are no padding: [batch, width, d] -> [batch, d]. */
function meanOverTokens(states: Float32Array, lengths: readonly number[], width: number): Float32Array {
  const d = states.length / (lengths.length * width);
  const out = new Float32Array(lengths.length * d);
  lengths.forEach((length, i) => {
    for (let t = 0; t < length; t++) {
      const from = (i * width + t) * d;
      for (let k = 0; k < d; k++) out[i * d + k] = (out[i * d + k] as number) + (states[from + k] as number) / length;
    }
  });
  return out;
}
