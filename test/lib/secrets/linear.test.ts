/** Proves that no shipped pattern can be made to backtrack without bound: `recheck` decides each one. */
import { check } from 'recheck';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.js';
import { isTokenRule, secretsSchema } from '../../../lib/secrets/rules.js';
import { createScrubber } from '../../../lib/secrets/scrubber.js';

const config = loadConfig('secrets', secretsSchema, { env: {} });
const regexes = Object.entries(config.patterns).flatMap(([id, rule]): [string, string, string][] =>
  isTokenRule(rule)
    ? [
        [id, rule.regex, rule.ignoreCase ? 'iy' : 'y'],
        ...(rule.until === undefined ? [] : [[`${id} (until)`, rule.until, 'g'] as [string, string, string]]),
      ]
    : [[id, `^(?:${rule.value})$`, rule.caseSensitive ? '' : 'i']],
);

const placeholders = config.assignments.placeholders.map((source): [string, string, string] => [source, source, 'i']);

describe('shipped patterns are linear', () => {
  // Searched for in values of at most 320 characters: polynomial is no danger there, exponential would be.
  it.each(placeholders)('placeholder %s', { timeout: 60_000 }, async (_, source, flags) => {
    const result = await check(source, flags, { timeout: 50_000 });
    expect(JSON.stringify(result)).not.toContain('"exponential"');
  });

  it.each(regexes)('%s', { timeout: 60_000 }, async (_, source, flags) => {
    expect(await check(source, flags, { timeout: 50_000 })).toMatchObject({ status: 'safe' });
  });

  it.each(regexes)('%s repeats nothing without bound', (_, source) => {
    // An escaped or bracketed + or * is a character; one that follows an atom is an unbounded repetition.
    const bare = source.replace(/\\./g, 'x').replace(/\[[^\]]*\]/g, 'x');
    expect(/[^(|][*+]/.test(bare) && !/^\^/.test(source)).toBe(false);
  });
});

describe('the whole scrubber', () => {
  const scrubber = createScrubber(config);
  const words = [
    'password',
    'token = ',
    'api_key: ',
    '-----BEGIN RSA PRIVATE KEY-----\n',
    'kind: Secret\n',
    '://a:',
    'eyJ',
    'curl -u ',
  ];

  it.each(words)('takes time in proportion to a text of nothing but %j', (word) => {
    const time = (bytes: number): number => {
      const text = word.repeat(Math.ceil(bytes / word.length));
      const start = performance.now();
      scrubber.scrub(text);
      return performance.now() - start;
    };
    time(65_536);
    const small = Math.max(time(131_072), 2);
    // Eight times the input: quadratic work would take sixty-four times as long.
    expect(time(1_048_576)).toBeLessThan(small * 32);
  });
});
