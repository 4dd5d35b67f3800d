import { describe, expect, it } from 'vitest';
import { loadSecrets } from '../../../config/secrets.js';
import { createScrubber } from '../../../lib/secrets/scrubber.js';
import { type Item, makeItem } from '../../../runner/items.js';
import { loadPipeline } from '../../../runner/load.js';
import { createResources } from '../../../runner/resources.js';
import { runPlan } from '../../../runner/run.js';
import { scrub } from '../../../stages/safety/scrub.js';
import { article, clock, hit } from '../../runner/helpers.js';
import { fillShape, seeded } from '../../support/secret-shapes.js';

const random = seeded(11);
const secret = (): string => fillShape('ghp_{alnum:36}', random).text;
const scrubber = createScrubber(loadSecrets({ env: {} }));

async function run(input: Item) {
  const text = 'version: 1\nname: t\nsummary: Test.\nmode: query\nsteps:\n  - scrub: {}\n';
  const registry = new Map([['scrub', scrub]]);
  const plan = loadPipeline({ file: 't.yaml', text }, { registry, env: {} });
  const logs: string[] = [];
  const result = await runPlan(plan, {
    resources: createResources({ clock: () => clock, scrubber: () => scrubber }),
    clock,
    input: [input],
    observers: [{ log: (level, stage, message) => void logs.push(`${level} ${stage} ${message}`) }],
  });
  return { ...result, logs };
}

describe('scrub stage', () => {
  it('scrubs every text of an article and says how many, by name', async () => {
    const [a, b] = [secret(), secret()];
    const { items, logs } = await run(
      makeItem('Article', {
        ...article(`Rotating ${a}`),
        url: `https://x.test/?key=${b}`,
        markdown: 'clean',
        tags: ['ops'],
      }),
    );
    expect(items[0]?.data).toMatchObject({
      title: 'Rotating [REDACTED:github-pat]',
      url: 'https://x.test/?key=[REDACTED:github-pat]',
      markdown: 'clean',
    });
    expect(logs).toEqual(['info scrub Scrubbed 2 credential(s) from Rotating [REDACTED:github-pat] [github-pat]']);
    expect(JSON.stringify(items)).not.toContain(a);
  });

  it('lets clean items through untouched and unlogged', async () => {
    const input = makeItem('Hit', hit('a.md'));
    const { items, logs } = await run(input);
    expect(items[0]?.data).toBe(input.data);
    expect(logs).toEqual([]);
  });

  it('keeps the line count of a vault file and its hash of the bytes on disk', async () => {
    const file = {
      path: 'oauth-debug.md',
      stat: { size: 1, mtimeNs: '1' },
      change: 'new' as const,
      text: `one\n${fillShape('-----BEGIN PRIVATE KEY-----\\n{b64:64}\\n-----END PRIVATE KEY-----', random).text}\nlast`,
      hash: 'abc',
    };
    const { items } = await run(makeItem('VaultFile', file));
    expect(items[0]?.data).toEqual({ ...file, text: 'one\n[REDACTED:private-key]\n\n\nlast' });
  });

  it('drops a vault file whose path holds a credential, without printing it', async () => {
    const name = secret();
    const file = { path: `keys/${name}.md`, stat: { size: 1, mtimeNs: '1' }, change: 'new' as const, text: 'x' };
    const { items, report, logs } = await run(makeItem('VaultFile', file));
    expect(items).toEqual([]);
    expect(report.dropped).toEqual({ 'secret-in-path': 1 });
    expect(report.notices[0]?.message).toContain('keys/[REDACTED:github-pat].md is not indexed');
    expect(JSON.stringify([report, logs])).not.toContain(name);
  });
});
