import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './support/cli.js';

describe('the library', () => {
  it('does what its example says (compiled with everything else by the type check)', async () => {
    const vault = temporaryFolder('library');
    mkdirSync(join(vault, '03-resources'));
    writeFileSync(
      join(vault, '03-resources', 'bread.md'),
      '# Bread\n\n## Dough\n\nKnead the dough for ten minutes and let it rest overnight in the cold.\n',
    );
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--import', 'tsx', 'examples/library.ts', vault, 'retry-after back-off'],
      { env: { PATH: process.env['PATH'], SLUICE_STATE: temporaryFolder('state') } },
    );
    const [captured, indexed, first] = stdout.split('\n');
    expect(captured).toMatch(/^created: 00-inbox\/.+\.md$/);
    expect(indexed).toBe('indexed: 0 notes changed');
    expect(first).toMatch(/^[\d.]+ 00-inbox\//);
    expect(stdout).toContain('honour Retry-After');
  }, 120_000);
});
