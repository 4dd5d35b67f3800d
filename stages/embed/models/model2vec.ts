/** Model2Vec models (potion-base-8M and kin): a safetensors table and a tokenizer, run by the static embedder. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '@huggingface/tokenizers';
import { floatsOf, readSafeTensors, type SafeTensor } from '../../../lib/embedding/safetensors.js';
import { quantiseRows, rowsInMemory, type TokenRows } from '../../../lib/embedding/static-table.js';
import { vocabularyOf } from '../../../lib/embedding/vocabulary.js';
import { createWordPiece } from '../../../lib/embedding/wordpiece.js';
import { ConfigError } from '../../../runner/errors.js';
import { createStaticEmbedder, type Encode } from './static.js';
import type { Embedder } from './types.js';

/** What of tokenizer.json decides how it is read. */
interface TokenizerFile {
  readonly model: { readonly type?: string; readonly vocab?: unknown; readonly unk_token?: string | null };
  readonly normalizer?: { readonly type?: string; readonly lowercase?: boolean } | null;
  readonly pre_tokenizer?: { readonly type?: string } | null;
}

/** Model2Vec cuts texts here. */
const MAX_TOKENS = 512;

/**
 * Opens a folder with `model.safetensors` and `tokenizer.json`.
 * @param version changes when the files do; part of the fingerprint.
 * @throws {ConfigError} `model-corrupt`, `model-dimensions`.
 */
export function openModel2Vec(id: string, dimensions: number, folder: string, version: string): Embedder {
  const file = join(folder, 'model.safetensors');
  const tensors = readSafeTensors(readFileSync(file), file);
  const tokenizer = JSON.parse(readFileSync(join(folder, 'tokenizer.json'), 'utf8')) as TokenizerFile;
  const table = tableOf(tensors, dimensions, file);
  const unknown = tokenizer.model.unk_token ?? undefined;
  const encode = isBertWordPiece(tokenizer) ? fastEncoder(tokenizer) : libraryEncoder(tokenizer, unknown);
  return createStaticEmbedder(id, table, version, () => encode);
}

/** Rows as int8 like our own table: the same loop runs both, and the loss is not measurable (EMBEDDING figures in docs/embedding.md). */
function tableOf(tensors: ReadonlyMap<string, SafeTensor>, dimensions: number, file: string): TokenRows {
  const embeddings = tensors.get('embeddings') ?? tensors.get('embedding.weight');
  const width = embeddings?.shape[1];
  if (!embeddings || width === undefined)
    throw new ConfigError('model-corrupt', 'The model file holds no table named "embeddings".', { file });
  if (width !== dimensions)
    throw new ConfigError('model-dimensions', `The model has ${width} dimensions, not ${dimensions}.`, {
      file,
      remedy: 'Correct `dimensions` in models.yaml.',
    });
  const { rows, scales } = quantiseRows(floatsOf(embeddings, file), dimensions);
  const mapping = tensors.get('mapping');
  const weights = tensors.get('weights');
  // Newer models share rows between tokens (`mapping`) and keep the tokens' weights apart.
  const rowOf = mapping ? floatsOf(mapping, file) : undefined;
  const weightOf = weights ? floatsOf(weights, file) : undefined;
  const tokens = rowOf?.length ?? scales.length;
  const spread = rowOf ? new Int8Array(tokens * dimensions) : rows;
  const weighted = new Float32Array(tokens);
  for (let t = 0; t < tokens; t++) {
    const row = rowOf ? (rowOf[t] ?? 0) : t;
    if (rowOf) spread.set(rows.subarray(row * dimensions, (row + 1) * dimensions), t * dimensions);
    weighted[t] = (scales[row] ?? 0) * (weightOf?.[t] ?? 1);
  }
  return rowsInMemory(dimensions, spread, weighted);
}

/** The tokenizer our own WordPiece agrees with (test/lib/embedding/wordpiece.test.ts), about six times as fast. */
function isBertWordPiece({ model, normalizer, pre_tokenizer: pre }: TokenizerFile): boolean {
  return (
    model.type === 'WordPiece' &&
    model.unk_token === '[UNK]' &&
    normalizer?.type === 'BertNormalizer' &&
    normalizer.lowercase !== false &&
    pre?.type === 'BertPreTokenizer'
  );
}

function fastEncoder({ model }: TokenizerFile): Encode {
  const vocabulary: string[] = [];
  for (const [token, id] of Object.entries(model.vocab as Record<string, number>)) vocabulary[id] = token;
  const wordpiece = createWordPiece(vocabularyOf(Array.from(vocabulary, (token) => token ?? '')));
  const unknown = wordpiece.id('[UNK]');
  return (text) => wordpiece.encode(text, MAX_TOKENS).filter((id) => id !== unknown);
}

function libraryEncoder(file: TokenizerFile, unknownToken: string | undefined): Encode {
  const tokenizer = new Tokenizer(file, {});
  const unknown = unknownToken === undefined ? undefined : tokenizer.token_to_id(unknownToken);
  return (text) =>
    tokenizer
      .encode(text, { add_special_tokens: false })
      .ids.slice(0, MAX_TOKENS)
      .filter((id: number) => id !== unknown);
}
