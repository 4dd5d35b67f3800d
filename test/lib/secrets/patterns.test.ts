import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.js';
import { secretsSchema } from '../../../lib/secrets/rules.js';
import { createScrubber } from '../../../lib/secrets/scrubber.js';
import { fillShape, seeded } from '../../support/secret-shapes.js';

const config = loadConfig('secrets', secretsSchema, { env: {} });
const scrubber = createScrubber(config);
const patterns = Object.entries(config.patterns);
/** Places a credential stands in a note. */
const PLACES = [
  (s: string) => s,
  (s: string) => `Some prose before, then ${s} and after.`,
  (s: string) => `# Title\n\n\`\`\`sh\n${s}\n\`\`\`\n`,
  (s: string) => `- item\n- ${s}\n- item`,
];

describe('shipped patterns', () => {
  it('cover at least 25 vendors', () => {
    expect(patterns.filter(([, rule]) => rule.kind === 'vendor').length).toBeGreaterThan(150);
  });

  it.each(patterns)('%s takes out secrets of its own shape wherever they stand', (id, rule) => {
    expect(rule.shape, 'every shipped pattern shows its shape').toBeDefined();
    const random = seeded(1);
    for (let round = 0; round < 10; round++) {
      for (const place of PLACES) {
        const { text, parts } = fillShape(rule.shape ?? '', random);
        const input = place(text);
        const result = scrubber.scrub(input);
        expect(result.findings.map((f) => f.pattern)).toContain(id);
        for (const part of parts) expect(result.text.includes(part)).toBe(false);
        expect(result.text.split('\n').length).toBe(input.split('\n').length);
        expect(scrubber.scrub(result.text)).toEqual({ text: result.text, findings: [] });
      }
    }
  });

  it('hold no live value: the file itself is clean', async () => {
    const { readFileSync } = await import('node:fs');
    const { packagePath } = await import('../../../lib/package-root.js');
    const text = readFileSync(packagePath('config', 'secrets.yaml'), 'utf8');
    expect(scrubber.scrub(text).findings).toEqual([]);
  });
});
