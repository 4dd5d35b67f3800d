/** A BERT small enough for a test, with reproducible random weights, and a tokenizer to go with it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BertWeights, Dense, Norm } from '../../lib/embedding/bert.js';
import { bertToOnnx } from '../../lib/embedding/bert-onnx.js';
import type { Tensor } from '../../lib/embedding/tfjs-weights.js';

export const TINY_VOCABULARY = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  '[MASK]',
  'red',
  'green',
  'blue',
  '##ish',
  'search',
  ':',
];
export const TINY = { hidden: 24, heads: 12, positions: 32, dimensions: 24 } as const;

export function tinyBert(): BertWeights {
  let state = 7;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 31 - 1;
  };
  const tensor = (...shape: number[]): Tensor => ({
    shape,
    data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => random() * 0.5),
  });
  const dense = (from: number, to: number): Dense => ({ weight: tensor(from, to), bias: tensor(to) });
  const norm = (): Norm => ({ gamma: tensor(TINY.hidden), beta: tensor(TINY.hidden) });
  const { hidden } = TINY;
  return {
    hidden,
    heads: TINY.heads,
    positions: TINY.positions,
    words: tensor(TINY_VOCABULARY.length, hidden),
    positionsAndType: tensor(TINY.positions, hidden),
    embeddingNorm: norm(),
    layers: [1, 2].map(() => ({
      query: dense(hidden, hidden),
      key: dense(hidden, hidden),
      value: dense(hidden, hidden),
      attentionOutput: dense(hidden, hidden),
      attentionNorm: norm(),
      intermediate: dense(hidden, hidden * 4),
      output: dense(hidden * 4, hidden),
      outputNorm: norm(),
    })),
  };
}

/** tokenizer.json of a lower-casing BERT over the tiny vocabulary. */
export function tinyTokenizer(): object {
  const id = (token: string): number => TINY_VOCABULARY.indexOf(token);
  const special = (token: string): object => ({ id: token, ids: [id(token)], tokens: [token] });
  return {
    version: '1.0',
    added_tokens: [],
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '[CLS]', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '[SEP]', type_id: 0 } },
      ],
      pair: [],
      special_tokens: { '[CLS]': special('[CLS]'), '[SEP]': special('[SEP]') },
    },
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(TINY_VOCABULARY.map((token, i) => [token, i])),
    },
  };
}

/** Writes model and tokenizer as `pull` leaves them; gives the folder. */
export function writeTinyModel(folder: string, model: Uint8Array = bertToOnnx(tinyBert())): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), model);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tinyTokenizer()));
  writeFileSync(join(folder, 'tokenizer_config.json'), '{}');
  return folder;
}
