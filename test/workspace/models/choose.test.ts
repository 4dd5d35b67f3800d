import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeModelChoice } from '../../../workspace/models/choose.js';

const root = mkdtempSync(join(tmpdir(), 'sluice-choose-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('writing the choice of a model down', () => {
  it('makes the file when there is none', () => {
    const file = join(root, 'new', 'config.yaml');
    writeModelChoice(file, 'all-MiniLM-L6-v2');
    expect(readFileSync(file, 'utf8')).toBe('config:\n  embed:\n    model: all-MiniLM-L6-v2\n');
    expect(readdirSync(join(root, 'new'))).toEqual(['config.yaml']);
  });

  it('changes one value and nothing else', () => {
    const file = join(root, 'config.yaml');
    const text = 'config:\n  http: # mine\n    concurrency: 2\n  embed: { model: sluice-static, batch: 32 } # two\n';
    writeFileSync(file, text);
    writeModelChoice(file, 'none');
    expect(readFileSync(file, 'utf8')).toBe(text.replace('sluice-static', 'none'));
  });

  it('does not touch a file that is no YAML map', () => {
    const file = join(root, 'bad.yaml');
    writeFileSync(file, 'config: [');
    expect(() => writeModelChoice(file, 'none')).toThrowError(expect.objectContaining({ code: 'yaml', file }));
    expect(readFileSync(file, 'utf8')).toBe('config: [');
  });
});
