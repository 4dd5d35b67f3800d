import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSecrets } from '../../../config/secrets.js';
import { createScrubber } from '../../../lib/secrets/scrubber.js';
import { scrubStream } from '../../../lib/secrets/stream.js';
import { fillShape, seeded } from '../../support/secret-shapes.js';

const config = loadSecrets({ env: {} });
const scrubber = createScrubber(config);
const shapes = Object.values(config.patterns).map((rule) => rule.shape ?? '');

async function streamed(text: string, size: number): Promise<{ text: string; findings: unknown[] }> {
  async function* chunks(): AsyncGenerator<string> {
    for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
  }
  let out = '';
  const findings: unknown[] = [];
  for await (const piece of scrubStream(scrubber, chunks())) {
    out += piece.text;
    findings.push(...piece.findings);
  }
  return { text: out, findings };
}

describe('scrubStream', () => {
  it('gives what scrubbing the whole gives, wherever the pieces are cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({ min: 50_000, max: 400_000 }), async (seed, size) => {
        const random = seeded(seed);
        const parts: string[] = [];
        for (let length = 0; length < 2_600_000; ) {
          const filler = 'Ordinary words of a note, some longer and some shorter.\n'.repeat(
            1 + Math.floor(random() * 900),
          );
          const shape = shapes[Math.floor(random() * shapes.length)] ?? '';
          parts.push(filler, fillShape(shape, random).text, '\n');
          length += filler.length;
        }
        const text = parts.join('');
        const whole = scrubber.scrub(text);
        const pieces = await streamed(text, size);
        expect(pieces.text === whole.text).toBe(true);
        expect(pieces.findings).toEqual(whole.findings.map(({ pattern, line }) => ({ pattern, line })));
      }),
      { numRuns: 5 },
    );
  }, 60_000);

  it('keeps a key that lies across a cut whole', async () => {
    const key = fillShape(config.patterns['private-key']?.shape ?? '', seeded(3)).text;
    for (const offset of [0, 60, 120, 200]) {
      const text = `${'a line of text\n'.repeat(69_905).slice(0, 1_048_576 - offset)}\n${key}\n${'more text\n'.repeat(20_000)}`;
      expect((await streamed(text, 65_536)).text === scrubber.scrub(text).text).toBe(true);
    }
  });
});
