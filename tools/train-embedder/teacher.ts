/** Embeds texts with the teacher (all-MiniLM-L6-v2 through onnxruntime), in shards that survive an interruption. */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tokenizer } from '@huggingface/tokenizers';
import * as ort from 'onnxruntime-node';

export const TEACHER_DIMENSIONS = 384;
const SEP = 102;
const SHARD = 4096;

export interface Teacher {
  /** L2-normalised rows, [texts, 384]. Token lists longer than `maxTokens` are cut, keeping the closing [SEP]. */
  embed(texts: readonly string[], maxTokens: number): Promise<Float32Array>;
}

/** Opens the teacher on an ONNX file made by lib/embedding/bert-onnx.ts. */
export async function openTeacher(model: string, tokenizer: Tokenizer, threads: number): Promise<Teacher> {
  const session = await ort.InferenceSession.create(model, {
    intraOpNumThreads: threads,
    graphOptimizationLevel: 'all',
  });
  return {
    async embed(texts, maxTokens) {
      const tokens = texts.map((text) => {
        // Cutting the string first keeps tokenisation of very long texts cheap; 12 characters a token is never reached.
        const { ids } = tokenizer.encode(text.slice(0, maxTokens * 12));
        return ids.length > maxTokens ? [...ids.slice(0, maxTokens - 1), SEP] : ids;
      });
      const rows = new Float32Array(texts.length * TEACHER_DIMENSIONS);
      // Batches of like length waste no work on padding.
      const order = tokens.map((_, i) => i).sort((a, b) => (tokens[a]?.length ?? 0) - (tokens[b]?.length ?? 0));
      for (let at = 0; at < order.length; ) {
        const size = Math.max(8, Math.floor(4096 / (tokens[order[at] ?? 0]?.length ?? 1)));
        const batch = order.slice(at, at + size);
        const pooled = await runBatch(
          session,
          batch.map((i) => tokens[i] ?? []),
        );
        for (const [i, row] of batch.entries()) {
          const vector = normalised(pooled.subarray(i * TEACHER_DIMENSIONS, (i + 1) * TEACHER_DIMENSIONS));
          rows.set(vector, row * TEACHER_DIMENSIONS);
        }
        at += batch.length;
      }
      return rows;
    },
  };
}

async function runBatch(session: ort.InferenceSession, batch: readonly (readonly number[])[]): Promise<Float32Array> {
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
  const output = await session.run({
    input_ids: new ort.Tensor('int64', ids, shape),
    attention_mask: new ort.Tensor('int64', mask, shape),
  });
  return output['sentence_embedding']?.data as Float32Array;
}

function normalised(vector: Float32Array): Float32Array {
  const norm = Math.sqrt(vector.reduce((sum, x) => sum + x * x, 0)) || 1;
  return vector.map((x) => x / norm);
}

/**
 * Embeds a long list into `folder/name-N.f32`, one file a shard; shards that exist are read, not computed again.
 * @returns all rows, [texts, 384].
 */
export async function embedSharded(
  teacher: Teacher,
  texts: readonly string[],
  maxTokens: number,
  folder: string,
  name: string,
  log: (line: string) => void,
): Promise<Float32Array> {
  mkdirSync(folder, { recursive: true });
  const all = new Float32Array(texts.length * TEACHER_DIMENSIONS);
  for (let shard = 0; shard * SHARD < texts.length; shard++) {
    const file = join(folder, `${name}-${shard}.f32`);
    const part = texts.slice(shard * SHARD, (shard + 1) * SHARD);
    let rows: Float32Array;
    if (existsSync(file)) {
      const bytes = readFileSync(file);
      rows = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    } else {
      rows = await teacher.embed(part, maxTokens);
      writeFileSync(`${file}.part`, new Uint8Array(rows.buffer));
      renameSync(`${file}.part`, file);
      log(`${name}: ${Math.min((shard + 1) * SHARD, texts.length)}/${texts.length}`);
    }
    all.set(rows, shard * SHARD * TEACHER_DIMENSIONS);
  }
  return all;
}
