/**
 * Enumerates the ways text leaves the process: each passes the one scrubbing boundary (cli/output.ts), or is listed
 * here with its reason. A new way out fails this test until it is looked at.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packagePath } from '../lib/package-root.js';

const LAYERS = ['cli', 'workspace', 'runner', 'lib', 'stages', 'store', 'config'];
const WAYS_OUT = /\bconsole\.|\bprocess\.(?:stdout|stderr)\b|\bprocess\.emitWarning\b/;

/** Files that name a stream, and why that is safe. */
const KNOWN: Readonly<Record<string, string>> = {
  'cli/output.ts': 'the boundary itself',
  'cli/main.ts': 'prints the version of the package',
  'cli/mcp/stdio.ts': 'JSON-RPC of the SDK; every tool, resource and prompt answer is scrubbed in cli/mcp/',
  'cli/models.ts': 'its progress line: counts and times',
  'cli/progress.ts': 'counts and times, no text of an item',
  'cli/triage/commands.ts': 'asks whether it runs on a terminal; the screen itself draws through Output',
  'cli/triage/offer.ts': 'asks whether it runs on a terminal',
};

function* sources(): Generator<[string, string]> {
  for (const layer of LAYERS) {
    for (const name of readdirSync(packagePath(layer), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const file = join(layer, name).replaceAll('\\', '/');
      yield [file, readFileSync(packagePath(file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')];
    }
  }
}

describe('ways out of the process', () => {
  it('are all known', () => {
    const found = [...sources()].filter(([, text]) => WAYS_OUT.test(text)).map(([file]) => file);
    expect(found.sort()).toEqual(Object.keys(KNOWN).sort());
  });

  it('have one way to open a workspace, the one that sets the scrubber', () => {
    const found = [...sources()].filter(([file, text]) => file.startsWith('cli/') && /\bopenWorkspace\b/.test(text));
    expect(found.map(([file]) => file)).toEqual(['cli/open.ts']);
  });
});
