/** Transformer embeddings through onnxruntime: mean pooling in the graph or here, batches of like length, L2-normalised. */
import { createHash } from 'node:crypto';
import { createWordPiece, type WordPiece } from '../../../lib/embedding/wordpiece.js';
import { messageOf, PipelineError } from '../../../runner/errors.js';
import type { Embedder, EmbedKind } from './types.js';

export interface OnnxModel {
  readonly id: string;
  readonly dimensions: number;
  /** ONNX file with inputs input_ids and attention_mask (and optionally token_type_ids). */
  readonly file: string;
  /** WordPiece tokens in id order. */
  readonly vocabulary: readonly string[];
  /** Longest input, [CLS] and [SEP] included. */
  readonly maxTokens: number;
  /** Put before each text, by kind. */
  readonly prompts: Readonly<Record<EmbedKind, string>>;
  /** Hash of the model file: part of the fingerprint. */
  readonly version: string;
  readonly threads: number;
}

/** Padded tokens in one batch: larger ones stop paying on two cores. */
const BATCH_TOKENS = 4096;

/**
 * Opens the model lazily: the session is created by the first call.
 * @param onTruncated told how many of a call's texts were longer than the model reads.
 */
export function createOnnxEmbedder(model: OnnxModel, onTruncated: (count: number) => void = () => undefined): Embedder {
  const wordpiece = createWordPiece(model.vocabulary);
  const special = { cls: need(wordpiece, '[CLS]'), sep: need(wordpiece, '[SEP]') };
  const prompts = `${model.prompts.query}\u0000${model.prompts.document}`;
  const fingerprint = createHash('sha256')
    .update(`${model.id}\n${model.dimensions}\n${model.version}\n${prompts}`)
    .digest('hex')
    .slice(0, 16);
  let session: Promise<Session> | undefined;

  const embed: Embedder['embed'] = async (texts, kind, signal) => {
    session ??= openSession(model);
    session.catch(() => {
      session = undefined;
    });
    const { run } = await session;
    let truncated = 0;
    const tokens = texts.map((text) => {
      const ids = wordpiece.encode(model.prompts[kind] + text, model.maxTokens - 1);
      if (ids.length > model.maxTokens - 2) truncated++;
      return [special.cls, ...ids.subarray(0, model.maxTokens - 2), special.sep];
    });
    if (truncated > 0) onTruncated(truncated);
    const vectors: Float32Array[] = new Array(texts.length);
    const order = [...tokens.keys()].sort((a, b) => lengthAt(tokens, a) - lengthAt(tokens, b));
    for (let at = 0; at < order.length; ) {
      signal?.throwIfAborted();
      const size = Math.max(
        1,
        Math.floor(BATCH_TOKENS / lengthAt(tokens, order[Math.min(order.length - 1, at + 15)] ?? 0)),
      );
      const batch = order.slice(at, at + size);
      const rows = await run(
        batch.map((i) => tokens[i] ?? []),
        model.dimensions,
      );
      for (const [row, i] of batch.entries()) vectors[i] = rows[row] ?? new Float32Array(model.dimensions);
      at += batch.length;
    }
    return vectors;
  };

  return {
    id: model.id,
    dimensions: model.dimensions,
    fingerprint,
    embed,
    close: async () => {
      await (await session)?.release();
    },
  };
}

const lengthAt = (tokens: readonly (readonly number[])[], i: number): number => tokens[i]?.length ?? 0;

function need(wordpiece: WordPiece, token: string): number {
  const id = wordpiece.id(token);
  if (id === undefined)
    throw new PipelineError('model-corrupt', `The tokenizer has no ${token} token.`, {
      remedy: 'Pull the model again.',
    });
  return id;
}

interface Session {
  run(tokens: readonly (readonly number[])[], dimensions: number): Promise<Float32Array[]>;
  release(): Promise<void>;
}

async function openSession(model: OnnxModel): Promise<Session> {
  let ort: typeof import('onnxruntime-node');
  try {
    ort = await import('onnxruntime-node');
  } catch (cause) {
    throw new PipelineError('no-model', `onnxruntime-node does not load: ${messageOf(cause)}.`, {
      cause,
      remedy: 'Run `npm rebuild onnxruntime-node`, or use the model sluice-static.',
    });
  }
  let session: import('onnxruntime-node').InferenceSession;
  try {
    session = await ort.InferenceSession.create(model.file, {
      intraOpNumThreads: model.threads,
      graphOptimizationLevel: 'all',
    });
  } catch (cause) {
    throw new PipelineError('model-corrupt', `The model cannot be opened: ${messageOf(cause)}.`, {
      file: model.file,
      cause,
      remedy: `Run \`pipeline models pull ${model.id}\` again.`,
    });
  }
  const [outputName = ''] = session.outputNames;
  return {
    release: () => session.release(),
    async run(tokens, dimensions) {
      const width = Math.max(...tokens.map((ids) => ids.length));
      const shape = [tokens.length, width];
      const ids = new BigInt64Array(tokens.length * width);
      const mask = new BigInt64Array(tokens.length * width);
      for (const [i, row] of tokens.entries()) {
        for (const [j, id] of row.entries()) {
          ids[i * width + j] = BigInt(id);
          mask[i * width + j] = 1n;
        }
      }
      const feeds: Record<string, import('onnxruntime-node').Tensor> = {
        input_ids: new ort.Tensor('int64', ids, shape),
        attention_mask: new ort.Tensor('int64', mask, shape),
      };
      if (session.inputNames.includes('token_type_ids'))
        feeds['token_type_ids'] = new ort.Tensor('int64', new BigInt64Array(ids.length), shape);
      const output = (await session.run(feeds))[outputName];
      const data = output?.data as Float32Array;
      const pooled = output?.dims.length === 3 ? meanPool(data, tokens, width, dimensions) : data;
      return tokens.map((_, i) => normalised(pooled.subarray(i * dimensions, (i + 1) * dimensions)));
    },
  };
}

/** Mean over the real tokens of each row, for graphs that give token states. */
function meanPool(
  states: Float32Array,
  tokens: readonly (readonly number[])[],
  width: number,
  dimensions: number,
): Float32Array {
  const out = new Float32Array(tokens.length * dimensions);
  for (const [i, row] of tokens.entries()) {
    for (let j = 0; j < row.length; j++) {
      const from = (i * width + j) * dimensions;
      for (let d = 0; d < dimensions; d++)
        out[i * dimensions + d] = (out[i * dimensions + d] as number) + (states[from + d] as number) / row.length;
    }
  }
  return out;
}

function normalised(vector: Float32Array): Float32Array {
  let square = 0;
  for (const x of vector) square += x * x;
  const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
  return vector.map((x) => x * factor);
}
