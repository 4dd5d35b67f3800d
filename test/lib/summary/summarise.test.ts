import { describe, expect, it } from 'vitest';
import { sentencesOf } from '../../../lib/summary/sentences.js';
import { summarise } from '../../../lib/summary/summarise.js';

const options = { sentences: 2, points: 2 };
const article = `Bounded queues protect a service from its own clients. When a queue is full, the producer waits.

Dr. Lee measured this on version 1.2 of the broker. An unbounded queue of the broker used 9 GB before it died.

\`\`\`sh
echo "Not a sentence of the article. Queues queues queues."
\`\`\`

| queue | size |
|---|---|
| a | 1 |

- Bounded queues need a limit that is measured, not guessed.
- Subscribe to our newsletter about queues today.

Our cat likes the warm rack in the office very much.`;

describe('summarise', () => {
  it('takes whole sentences of the prose, in reading order, none twice', () => {
    const { summary, points } = summarise(article, { ...options, title: 'Bounded queues' });
    expect(summary).toMatch(/^Bounded queues protect a service from its own clients\./);
    const chosen = [...sentencesOf(summary, 'en').map(({ text }) => text), ...points];
    expect(new Set(chosen).size).toBe(chosen.length);
    for (const sentence of chosen) expect(article).toContain(sentence);
    expect(chosen.join(' ')).not.toMatch(/newsletter|echo|cat likes/);
  });

  it('is the same every time', () => {
    expect(summarise(article, options)).toEqual(summarise(article, options));
  });

  it('knows sentences in other scripts', () => {
    const text =
      '東京の鉄道は世界で最も正確に運行されている交通機関です。新幹線は時速三百キロで東京と大阪を結ぶ鉄道です。猫が好きです。';
    const { summary } = summarise(text, { ...options, sentences: 1, language: 'ja' });
    expect(summary).toMatch(/鉄道.*。$/);
    expect(text).toContain(summary);
  });

  it.each([
    ['', ''],
    ['one two three', 'one two three'],
    ['# Only a heading', ''],
  ])('of %j is %j', (text, summary) => {
    expect(summarise(text, options)).toEqual({ summary, points: [] });
  });
});

describe('sentencesOf', () => {
  it('does not end a sentence at an abbreviation or inside a version', () => {
    const texts = sentencesOf('Dr. Lee ran v1.2, e.g. on Linux. It held.', 'en').map(({ text }) => text);
    expect(texts).toEqual(['Dr. Lee ran v1.2, e.g. on Linux.', 'It held.']);
  });

  it('takes markup off and leaves code out', () => {
    const texts = sentencesOf(
      'A **bold** [link](https://x.example/a_(b)) and ![pic](y.png) stay[^1].\n\n    1. `x`',
      'en',
    );
    expect(texts[0]?.text).toBe('A bold link and stay.');
  });
});
