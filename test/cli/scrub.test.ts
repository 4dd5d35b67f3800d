import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { main } from '../../cli/program.js';
import { fillShape, seeded } from '../support/secret-shapes.js';

const random = seeded(5);
const secret = fillShape('ghp_{alnum:36}', random).text;
const inName = fillShape('glpat-{low:20}', random).text;
let vault: string;

beforeAll(() => {
  vault = mkdtempSync(join(tmpdir(), 'sluice-scrub-'));
  mkdirSync(join(vault, 'ignored'));
  writeFileSync(join(vault, '.indexignore'), 'ignored/\n');
  writeFileSync(join(vault, 'clean.md'), '# Clean\n');
  writeFileSync(join(vault, 'debug.md'), `# Debug\n\ntoken ${secret}\n`);
  writeFileSync(join(vault, `${inName}.md`), 'nothing\n');
  writeFileSync(join(vault, 'ignored', 'x.md'), secret);
});
afterAll(() => rmSync(vault, { recursive: true }));

/** Runs a command line in this process and returns what it wrote. */
async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  type Write = typeof process.stdout.write;
  const capture = (add: (text: string) => void): Write =>
    ((text: string, done?: () => void) => {
      add(text);
      done?.();
      return true;
    }) as Write;
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation(capture((t) => (out += t)));
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(capture((t) => (err += t)));
  process.exitCode = undefined;
  try {
    const code = await main(args);
    return { code, out, err };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
    process.exitCode = undefined;
  }
}

describe('pipeline scrub', () => {
  it('prints a file without its credentials', async () => {
    const { code, out } = await run('scrub', join(vault, 'debug.md'));
    expect({ code, out }).toEqual({ code: 0, out: '# Debug\n\ntoken [REDACTED:github-pat]\n' });
  });

  it('gives text and findings as JSON, lines but no values', async () => {
    const { out } = await run('scrub', join(vault, 'debug.md'), '--json');
    expect(JSON.parse(out)).toEqual({
      text: '# Debug\n\ntoken [REDACTED:github-pat]\n',
      findings: [{ pattern: 'github-pat', line: 3 }],
    });
  });

  it('says what to do when the file is missing', async () => {
    const { code, err } = await run('scrub', join(vault, 'none.md'));
    expect(code).toBe(2);
    expect(err).toContain('does not exist');
  });
});

describe('pipeline scrub --report', () => {
  it('lists notes, lines and names, file names too, and exits with 1', async () => {
    const { code, out, err } = await run('scrub', '--report', vault);
    expect(code).toBe(1);
    expect(out.trim().split('\n')).toEqual([
      'debug.md:3: github-pat',
      '[REDACTED:gitlab-token].md: file name: gitlab-token',
    ]);
    expect(err).toContain('2 credential(s) in 2 of 3 note(s)');
    for (const value of [secret, inName]) expect(out + err).not.toContain(value);
  });

  it('is valid SARIF 2.1.0 in outline', async () => {
    const { out } = await run('scrub', '--report', vault, '--format', 'sarif');
    const sarif = JSON.parse(out);
    expect(sarif.version).toBe('2.1.0');
    expect(sarif.runs[0].tool.driver.rules.map((r: { id: string }) => r.id)).toEqual(['github-pat', 'gitlab-token']);
    expect(sarif.runs[0].results[0]).toMatchObject({
      ruleId: 'github-pat',
      locations: [{ physicalLocation: { artifactLocation: { uri: 'debug.md' }, region: { startLine: 3 } } }],
    });
  });

  it('exits with 0 when nothing is found', async () => {
    const clean = mkdtempSync(join(tmpdir(), 'sluice-clean-'));
    writeFileSync(join(clean, 'a.md'), '# Nothing here\n');
    expect((await run('scrub', '--report', clean)).code).toBe(0);
    rmSync(clean, { recursive: true });
  });

  it('uses the patterns of the vault', async () => {
    const own = mkdtempSync(join(tmpdir(), 'sluice-own-'));
    mkdirSync(join(own, '.pipeline'));
    writeFileSync(
      join(own, '.pipeline', 'secrets.yaml'),
      'secrets:\n  patterns:\n    github-pat: { enabled: false }\n  custom:\n    acme: { description: Acme key, keywords: [acme_], regex: "acme_[a-z]{8}" }\n',
    );
    writeFileSync(join(own, 'a.md'), `${secret}\nacme_abcdefgh\n`);
    expect((await run('scrub', '--report', own)).out).toBe('a.md:2: acme\n');
    rmSync(own, { recursive: true });
  });
});
