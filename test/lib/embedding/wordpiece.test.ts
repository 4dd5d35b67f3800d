import { Tokenizer } from '@huggingface/tokenizers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vocabularyOf } from '../../../lib/embedding/vocabulary.js';
import { createWordPiece } from '../../../lib/embedding/wordpiece.js';

const vocabulary = [
  '[PAD]',
  '[UNK]',
  '[CLS]',
  '[SEP]',
  'token',
  '##s',
  'rot',
  '##ation',
  'the',
  'c',
  '+',
  '.',
  '-',
  "'",
  'don',
  't',
  'e',
  '##t',
  '##e',
  'cafe',
  '東',
  '京',
  'a',
  '##b',
  '1',
  '##2',
  'ß',
  'é',
  '!',
  '“',
];
const reference = new Tokenizer(
  {
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
    post_processor: null,
    decoder: null,
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary.map((t, i) => [t, i])),
    },
  },
  { tokenizer_class: 'BertTokenizer', unk_token: '[UNK]' },
);
const ours = createWordPiece(vocabularyOf(vocabulary));
const both = (text: string) => [[...ours.encode(text)], reference.encode(text, { add_special_tokens: false }).ids];

describe('createWordPiece', () => {
  it.each([
    ['the tokens rotation'],
    ['The TOKENS, rotation.'],
    ["don't C++"],
    ['Café caf\u0065\u0301'],
    ['東京 the'],
    ['a\u0000b a\u200bb a\tb\na b'],
    ['unknownword the'],
    ['“the” — 12'],
    [''],
  ])('agrees with the reference on %j', (text) => {
    const [got, want] = both(text);
    expect(got).toEqual(want);
  });

  it("agrees with the reference on any text of the vocabulary's characters", () => {
    const alphabet = fc.constantFrom(..."tokensratiheCc+.-'dn 1249Éé東京“!\t\n ß\u0301");
    fc.assert(
      fc.property(fc.string({ unit: alphabet, maxLength: 60 }), (text) => {
        const [got, want] = both(text);
        expect(got).toEqual(want);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes whole words of the vocabulary first and stops at the limit', () => {
    const words = createWordPiece(vocabularyOf(['[UNK]', 'post', '##gres', 'postgres']));
    expect([...words.encode('postgres postgres')]).toEqual([3, 3]);
    expect([...words.encode('postgres postgres', 1)]).toEqual([3]);
  });
});
