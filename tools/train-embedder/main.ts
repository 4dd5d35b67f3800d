/**
 * Trains the embedded static model: one command from text pairs to the shipped table and its model card.
 *
 *   npx tsx tools/train-embedder/main.ts --teacher minilm.onnx --tokenizer DIR --pairs a.jsonl.gz,b.jsonl.gz \
 *     --cache DIR --out models/sluice-static [--epochs 8] [--seed 1] [--extra 12000]
 *
 * The teacher pass dominates (about 20 minutes on two cores for 109k pairs) and is cached in --cache; training takes
 * about a minute an epoch on one core.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Tokenizer } from '@huggingface/tokenizers';
import { quantiseRows, writeStaticTable } from '../../lib/embedding/static-table.js';
import { vocabularyOf } from '../../lib/embedding/vocabulary.js';
import { createWordPiece, type WordPiece } from '../../lib/embedding/wordpiece.js';
import { project, secondMoment, seededRandom, topEigenvectors } from './linear-algebra.js';
import { modelCard } from './model-card.js';
import { readPairs } from './pairs.js';
import { Student } from './student.js';
import { embedSharded, openTeacher, TEACHER_DIMENSIONS } from './teacher.js';
import { frequentSplitWords, tokenCounts } from './vocabulary.js';

const { values: flags } = parseArgs({
  options: {
    teacher: { type: 'string' },
    tokenizer: { type: 'string' },
    pairs: { type: 'string' },
    cache: { type: 'string' },
    out: { type: 'string' },
    epochs: { type: 'string', default: '8' },
    batch: { type: 'string', default: '512' },
    rate: { type: 'string', default: '0.003' },
    seed: { type: 'string', default: '1' },
    extra: { type: 'string', default: '12000' },
    threads: { type: 'string', default: '2' },
    limit: { type: 'string', default: '0' },
  },
});

const DIMENSIONS = 256;
const SIF = 1e-3;
/** Tokens of a text the student sees while training; the teacher sees 96. */
const STUDENT_TOKENS = 96;
const TEACHER_TOKENS = { title: 32, text: 96 };
/** The learning rate falls to this share of its start. */
const FINAL_RATE = 0.05;

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const need = (name: 'teacher' | 'tokenizer' | 'pairs' | 'cache' | 'out'): string => {
  const value = flags[name];
  if (value === undefined) throw new Error(`--${name} is missing; see the head of tools/train-embedder/main.ts.`);
  return value;
};

const tokenizerJson = JSON.parse(readFileSync(join(need('tokenizer'), 'tokenizer.json'), 'utf8')) as {
  model: { vocab: Record<string, number> };
};
const tokenizer = new Tokenizer(
  tokenizerJson,
  JSON.parse(readFileSync(join(need('tokenizer'), 'tokenizer_config.json'), 'utf8')) as object,
);
const baseVocabulary = Object.entries(tokenizerJson.model.vocab)
  .sort(([, a], [, b]) => a - b)
  .map(([token]) => token);
// --limit N takes the first N pairs, for a quick look.
const pairs = readPairs(need('pairs').split(',')).slice(0, Number(flags.limit) || undefined);
log(`${pairs.length} pairs`);

// --- teacher ----------------------------------------------------------------------------------------------------------
const teacher = await openTeacher(need('teacher'), tokenizer, Number(flags.threads));
const cache = need('cache');
const titleVectors = await embedSharded(
  teacher,
  pairs.map((p) => p.title),
  TEACHER_TOKENS.title,
  cache,
  'titles',
  log,
);
const textVectors = await embedSharded(
  teacher,
  pairs.map((p) => p.text),
  TEACHER_TOKENS.text,
  cache,
  'texts',
  log,
);
const extraWords = frequentSplitWords(
  allTexts(),
  createWordPiece(vocabularyOf(baseVocabulary)),
  8,
  Number(flags.extra),
);
log(`${extraWords.length} extra words, from "${extraWords[0]}" to "${extraWords.at(-1)}"`);
const vocabulary = [...baseVocabulary, ...extraWords];
const tokenVectors = await embedSharded(
  teacher,
  vocabulary.map((t) => t.replace(/^##/, '')),
  16,
  cache,
  `tokens-${extraWords.length}`,
  log,
);

// --- start ------------------------------------------------------------------------------------------------------------
const wordpiece = createWordPiece(vocabularyOf(vocabulary));
const titles = pairs.map((p) => encode(wordpiece, p.title));
const texts = pairs.map((p) => encode(wordpiece, p.text));
const sample = new Float32Array(titleVectors.length + textVectors.length);
sample.set(titleVectors);
sample.set(textVectors, titleVectors.length);
const basis = topEigenvectors(secondMoment(sample, TEACHER_DIMENSIONS), TEACHER_DIMENSIONS, DIMENSIONS);
const teacherTitles = project(titleVectors, basis, TEACHER_DIMENSIONS, DIMENSIONS);
const teacherTexts = project(textVectors, basis, TEACHER_DIMENSIONS, DIMENSIONS);
const table = project(tokenVectors, basis, TEACHER_DIMENSIONS, DIMENSIONS);
const counts = tokenCounts([...titles, ...texts], vocabulary.length);
const total = counts.reduce((a, b) => a + b, 0);
for (let t = 0; t < vocabulary.length; t++) {
  const weight = SIF / (SIF + (counts[t] as number) / total);
  for (let d = 0; d < DIMENSIONS; d++) table[t * DIMENSIONS + d] = (table[t * DIMENSIONS + d] as number) * weight;
}

// --- train ------------------------------------------------------------------------------------------------------------
const student = new Student(table, DIMENSIONS);
const random = seededRandom(Number(flags.seed));
const epochs = Number(flags.epochs);
const batch = Number(flags.batch);
const order = [...pairs.keys()].filter((i) => (titles[i]?.length ?? 0) > 0 && (texts[i]?.length ?? 0) > 0);
const steps = epochs * Math.floor(order.length / batch);
let step = 0;
for (let epoch = 1; epoch <= epochs; epoch++) {
  shuffle(order, random);
  const sums = { distance: 0, contrastive: 0, scores: 0 };
  let batches = 0;
  for (let at = 0; at + batch <= order.length; at += batch) {
    const ids = order.slice(at, at + batch);
    const rate = Number(flags.rate) * (1 - (1 - FINAL_RATE) * (step++ / steps));
    const losses = student.step(
      ids.map((i) => titles[i] as Int32Array),
      ids.map((i) => texts[i] as Int32Array),
      gather(teacherTitles, ids),
      gather(teacherTexts, ids),
      rate,
      { contrastive: 0.2, scores: 0.2, temperature: 0.05 },
    );
    sums.distance += losses.distance;
    sums.contrastive += losses.contrastive;
    sums.scores += losses.scores;
    batches++;
  }
  log(
    `epoch ${epoch}: distance ${(sums.distance / batches).toFixed(4)}, contrastive ${(sums.contrastive / batches).toFixed(4)}, scores ${(sums.scores / batches).toFixed(4)}`,
  );
  save();
}

function save(): void {
  mkdirSync(need('out'), { recursive: true });
  const bytes = writeStaticTable({ dimensions: DIMENSIONS, vocabulary, ...quantiseRows(table, DIMENSIONS) });
  writeFileSync(join(need('out'), 'table.bin'), bytes);
  const card = modelCard({
    pairs: pairs.length,
    tokens: vocabulary.length,
    extraWords: extraWords.length,
    dimensions: DIMENSIONS,
    epochs,
    batch,
    seed: Number(flags.seed),
    bytes: bytes.length,
  });
  writeFileSync(join(need('out'), 'README.md'), card);
}

function* allTexts(): Generator<string> {
  for (const { title, text } of pairs) {
    yield title;
    yield text;
  }
}

function encode(pieces: WordPiece, text: string): Int32Array {
  return pieces.encode(text, STUDENT_TOKENS).slice();
}

function gather(rows: Float32Array, ids: readonly number[]): Float32Array {
  const out = new Float32Array(ids.length * DIMENSIONS);
  for (const [i, id] of ids.entries()) out.set(rows.subarray(id * DIMENSIONS, (id + 1) * DIMENSIONS), i * DIMENSIONS);
  return out;
}

function shuffle(list: number[], rand: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(rand() * (i + 1));
    [list[i], list[j]] = [list[j] as number, list[i] as number];
  }
}
