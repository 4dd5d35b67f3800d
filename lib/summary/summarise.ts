/**
 * Extractive summary: whole sentences of the text, chosen by what the text as a whole talks about. Deterministic, offline,
 * and without word lists of any language: words of no meaning give themselves away by standing in most sentences.
 */
import { type Sentence, sentencesOf } from './sentences.js';

export interface SummaryOptions {
  readonly title?: string;
  /** BCP 47 tag of the text. */
  readonly language?: string | undefined;
  /** Sentences in the summary. */
  readonly sentences: number;
  /** Key points beside it. */
  readonly points: number;
}

export interface Summary {
  /** Sentences in reading order; the text's own words. */
  readonly summary: string;
  /** Further statements, in reading order; none that the summary has already. */
  readonly points: readonly string[];
}

/** Longer texts say what they are about long before. */
const MAX_SENTENCES = 400;
const MIN_LENGTH = 25;
const MAX_LENGTH = 400;
/** Two sentences that share more of their words say the same thing. */
const SAME = 0.5;
/** A word in more sentences than this is grammar, not subject. */
const COMMON = 0.2;
/** Sentences that lean on one before them, and what is addressed to the reader and not about the subject. */
const LEANING =
  /^(?:and|but|so|or|also|however|this|that|these|those|it|they|he|she|here|there|then|instead|otherwise)\b/i;
const NOISE =
  /\b(?:subscribe|sign up|newsletter|cookies?|click here|read more|share this|follow us|all rights reserved|advertisement|sponsored|comments?)\b|©|https?:\/\/\S+$/i;

/** Summary and key points of a Markdown text. A text of a few sentences is its own summary. */
export function summarise(markdown: string, options: SummaryOptions): Summary {
  const all = sentencesOf(markdown, options.language).slice(0, MAX_SENTENCES);
  const words = all.map(({ text }) => wordsOf(text, options.language));
  const candidates = all
    .map((sentence, index) => ({ sentence, index, words: new Set(words[index]) }))
    .filter(({ sentence: { text } }) => text.length >= MIN_LENGTH && text.length <= MAX_LENGTH && !NOISE.test(text));
  if (candidates.length === 0) return { summary: clip(all.map(({ text }) => text).join(' ')), points: [] };
  const weight = weights(words, options.title === undefined ? [] : wordsOf(options.title, options.language));
  const ranked = candidates
    .map((candidate) => ({ ...candidate, score: score(candidate.sentence, candidate.words, weight) }))
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const chosen: typeof ranked = [];
  const take = (wanted: number, allowed: (kind: Sentence['kind']) => boolean): typeof ranked => {
    const taken: typeof ranked = [];
    for (const candidate of ranked) {
      if (taken.length >= wanted) break;
      if (!allowed(candidate.sentence.kind)) continue;
      if (chosen.some((other) => overlap(candidate.words, other.words) > SAME)) continue;
      chosen.push(candidate);
      taken.push(candidate);
    }
    return taken.sort((a, b) => a.index - b.index);
  };
  const prose = take(options.sentences, (kind) => kind === 'prose');
  const summary = prose.length > 0 ? prose : take(options.sentences, () => true);
  const points = take(options.points, () => true);
  return {
    summary: summary.map(({ sentence }) => sentence.text).join(usesSpaces(summary[0]?.sentence.text ?? '') ? ' ' : ''),
    points: points.map(({ sentence }) => sentence.text),
  };
}

/** What a word tells: how often the text says it, unless it stands everywhere; words of the title count double. */
function weights(sentences: readonly (readonly string[])[], title: readonly string[]): (word: string) => number {
  const total = new Map<string, number>();
  const spread = new Map<string, number>();
  for (const words of sentences) {
    for (const word of words) total.set(word, (total.get(word) ?? 0) + 1);
    for (const word of new Set(words)) spread.set(word, (spread.get(word) ?? 0) + 1);
  }
  const titled = new Set(title);
  const limit = Math.max(3, sentences.length * COMMON);
  return (word) => {
    // Short words are grammar in every alphabet; in CJK a word of two characters is a full word.
    if (word.length < 4 && /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u.test(word)) return 0;
    if ((spread.get(word) ?? 0) > limit && !titled.has(word)) return 0;
    return Math.log1p(total.get(word) ?? 0) * (titled.has(word) ? 2 : 1);
  };
}

function score(sentence: Sentence, words: ReadonlySet<string>, weight: (word: string) => number): number {
  let sum = 0;
  for (const word of words) sum += weight(word);
  // By the root of the length: a mean would favour short sentences, a sum long ones.
  let value = sum / Math.sqrt(words.size + 3);
  if (sentence.paragraph < 2) value *= 1.5 - sentence.paragraph * 0.2;
  if (sentence.position === 0) value *= 1.15;
  if (sentence.kind === 'quote') value *= 0.7;
  if (/[?？]["»”)]?$/.test(sentence.text)) value *= 0.5;
  if (LEANING.test(sentence.text)) value *= 0.75;
  if (/[:：]$/.test(sentence.text)) value *= 0.4;
  return value;
}

function wordsOf(text: string, language: string | undefined): string[] {
  const lower = text.toLowerCase();
  if (usesSpaces(text)) return lower.match(/[\p{L}\p{N}][\p{L}\p{N}'’+#.-]*[\p{L}\p{N}+#]|[\p{L}\p{N}]/gu) ?? [];
  const segmenter = new Intl.Segmenter(language ?? 'ja', { granularity: 'word' });
  return [...segmenter.segment(lower)].flatMap(({ segment, isWordLike }) => (isWordLike ? segment : []));
}

/** Chinese, Japanese, Thai and their like write no spaces between words. */
function usesSpaces(text: string): boolean {
  return !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u.test(
    text,
  );
}

/** Share of the smaller set's words that are in the other too. */
function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [small, large] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of small) if (large.has(word)) common++;
  return small.size === 0 ? 0 : common / small.size;
}

/** A text that is no sentences at all (a list of links, one endless line) is cut at a word. */
function clip(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const cut = Array.from(text.slice(0, MAX_LENGTH + 1))
    .slice(0, -1)
    .join('');
  const space = cut.lastIndexOf(' ');
  return `${cut.slice(0, space > MAX_LENGTH / 2 ? space : cut.length).trimEnd()}…`;
}
