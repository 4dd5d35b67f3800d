import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { bounded, CLIENT_CEILING } from '../../../cli/hooks/context.js';
import { responseText } from '../../../cli/hooks/input.js';
import { runCli, temporaryFolder } from '../../support/cli.js';

const vault = temporaryFolder('hook-vault');
const state = temporaryFolder('hook-state');
// Put together here so that no scanner takes the test for a leak.
const secret = ['ghp', 'a8Kq2Zt7Wm4Xc9Vb1Nn6Pl3Jh5Gf0Ds8Ry2E'].join('_');

beforeAll(async () => {
  mkdirSync(join(vault, 'agent_learnings'));
  writeFileSync(
    join(vault, 'pg.md'),
    '# PostgreSQL\n\n## Major upgrade\n\nUpgrade PostgreSQL with logical replication: create the publication, copy, wait for lag zero, copy sequences, switch.\n',
  );
  writeFileSync(
    join(vault, 'bread.md'),
    '# Bread\n\n## Dough\n\nKnead the dough for ten minutes and let it rest overnight in the cold.\n',
  );
  await runCli(['run', 'index', '--vault', vault], { state });
}, 120_000);

const hook = async (name: string, event: unknown, env: Record<string, string> = {}) => {
  const run = await runCli(['hook', name, '--vault', vault], {
    state,
    input: typeof event === 'string' ? event : JSON.stringify(event),
    env,
  });
  expect(run.code).toBe(0);
  return JSON.parse(run.stdout) as {
    hookSpecificOutput?: {
      hookEventName: string;
      additionalContext: string;
      updatedToolOutput?: { stdout: string; stderr: string; interrupted: boolean };
    };
  };
};
const toolCall = (tool: string, input: object, session = 's1') => ({
  session_id: session,
  hook_event_name: 'PreToolUse',
  tool_name: tool,
  tool_input: input,
});
const upgrade = { command: 'psql -c "select 1"', description: 'PostgreSQL major upgrade with logical replication' };

describe('hook context', () => {
  it('injects a note that matters, once a session', async () => {
    const first = await hook('context', toolCall('Bash', upgrade));
    expect(first.hookSpecificOutput).toMatchObject({ hookEventName: 'PreToolUse' });
    expect(first.hookSpecificOutput?.additionalContext).toContain('pg.md:');
    expect(await hook('context', toolCall('Bash', upgrade))).toEqual({});
    expect(await hook('context', toolCall('Bash', upgrade, 's2'))).not.toEqual({});
  });

  it('says nothing for other tools, for gibberish, inside a hook, or for broken input, which it logs', async () => {
    expect(await hook('context', toolCall('Read', upgrade, 's3'))).toEqual({});
    expect(await hook('context', toolCall('Bash', { command: 'xqzv wkkjp zzqtr' }, 's3'))).toEqual({});
    expect(await hook('context', toolCall('Bash', upgrade, 's4'), { SLUICE_IN_HOOK: '1' })).toEqual({});
    expect(await hook('context', 'this is not JSON')).toEqual({});
    expect(readFileSync(join(state, 'hooks', 'hooks.log'), 'utf8')).toMatch(/context: .*JSON/);
  });

  it('cuts below the ceiling of the client, at a section, never inside a character', () => {
    const sections = Array.from({ length: 8 }, (_, i) => `\n## Section ${i}\n${'text '.repeat(340)}`).join('');
    const cut = bounded(sections);
    expect(cut.length).toBeLessThan(CLIENT_CEILING);
    expect(cut).toMatch(/text \n\(cut: /);
    const emoji = bounded('😀'.repeat(6000));
    expect(emoji.length).toBeLessThan(CLIENT_CEILING);
    expect(emoji).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
    expect(emoji).toContain('(cut:');
  });
});

describe('hook compress', () => {
  const log =
    Array.from({ length: 120 }, (_, i) => `tests/test_a.py::test_${i} PASSED`).join('\n') +
    `\nAUTH=${secret}\nFAILED tests/test_a.py::test_9 - assert 1 == 2\n==== 1 failed, 120 passed in 1.0s ====\n`;
  const event = {
    session_id: 's',
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_input: {},
    tool_response: { stdout: log, stderr: 'slow', interrupted: false },
  };

  it('takes the place of the output in its own shape, cites the whole, and leaks no secret', async () => {
    const { updatedToolOutput, additionalContext = '' } = (await hook('compress', event)).hookSpecificOutput ?? {};
    expect(updatedToolOutput).toMatchObject({ stderr: '', interrupted: false });
    const text = updatedToolOutput?.stdout ?? '';
    expect(text).toContain('Tests: 120 passed, 1 failed');
    expect(text).toContain('FAIL tests/test_a.py::test_9');
    // The model reads the replacement; what is said beside it must not say it all again.
    expect(additionalContext).toContain('Tests: 120 passed, 1 failed');
    expect(additionalContext).not.toContain('FAIL ');
    const file = /in full at (\S+)/.exec(text)?.[1] ?? '';
    expect(existsSync(file)).toBe(true);
    expect(readFileSync(file, 'utf8')).toContain('test_77 PASSED');
    expect(readFileSync(file, 'utf8') + text).not.toContain(secret);
  });

  it('is context for a client that sends text, as Codex does', async () => {
    const answer = (await hook('compress', { ...event, tool_response: log })).hookSpecificOutput;
    expect(answer?.updatedToolOutput).toBeUndefined();
    expect(answer?.additionalContext).toContain('FAIL tests/test_a.py::test_9');
  });

  it('leaves short outputs and its own answers alone', async () => {
    expect(await hook('compress', { ...event, tool_response: 'short' })).toEqual({});
    const own = (await hook('compress', event)).hookSpecificOutput?.updatedToolOutput?.stdout ?? '';
    expect(await hook('compress', { ...event, tool_response: own.padEnd(4000, ' x') })).toEqual({});
  });
});

describe('hook capture', () => {
  it('keeps long outputs as unreviewed notes without secrets, once', async () => {
    const event = {
      session_id: 's',
      hook_event_name: 'PostToolUse',
      tool_name: 'Bash',
      tool_input: { description: 'Measure the pool' },
      tool_response: {
        stdout: `token ${secret}\n${'The pool of twenty connections was never exhausted. '.repeat(20)}`,
      },
    };
    expect(await hook('capture', event)).toEqual({});
    await hook('capture', event);
    const notes = readdirSync(join(vault, 'agent_learnings'));
    expect(notes).toHaveLength(1);
    const text = readFileSync(join(vault, 'agent_learnings', notes[0] ?? ''), 'utf8');
    expect(text).toContain('reviewed: false');
    expect(text).toContain('[REDACTED:');
    expect(text).not.toContain(secret);
  });
});

describe('responseText', () => {
  it('reads every shape a client sends', () => {
    expect(responseText('a')).toBe('a');
    expect(responseText({ stdout: 'a', stderr: 'b' })).toBe('a\nb');
    expect(responseText([{ type: 'text', text: 'a' }, { type: 'image' }])).toBe('a');
    expect(responseText({ content: [{ type: 'text', text: 'a' }] })).toBe('a');
    expect(responseText(undefined)).toBe('');
  });
});
