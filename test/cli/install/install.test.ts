import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { CLIENTS, type Setup } from '../../../cli/install/clients.js';
import { clientNamed, install, preview, uninstall } from '../../../cli/install/install.js';
import { runCli, temporaryFolder } from '../../support/cli.js';

const JSON_BEFORE = `{
    // my servers
    "mcpServers": {
        "other": { "command": "other" }, // keep me
    },
    "servers": { "other": { "command": "other" } },
    "hooks": {
        "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "mine" } ] } ]
    }
}
`;
const TOML_BEFORE = '# my settings\nmodel = "x" # inline\n\n[mcp_servers.other]\ncommand = "other"\n';
const TEXT_BEFORE = '# Rules\n\nBe kind.';

const beforeOf = (file: string): string | undefined =>
  /\.json$/.test(file)
    ? JSON_BEFORE
    : /\.toml$/.test(file)
      ? TOML_BEFORE
      : /AGENTS\.md$/.test(file)
        ? TEXT_BEFORE
        : undefined;

function world(scope: Setup['scope']): { setup: Setup; state: string } {
  const project = temporaryFolder('project');
  return {
    setup: {
      vault: '/notes/my vault',
      command: 'pipeline',
      args: [],
      scope,
      project,
      hooks: true,
      home: temporaryFolder('home'),
    },
    state: temporaryFolder('state'),
  };
}

const cases = Object.keys(CLIENTS).flatMap((name) =>
  (['project', 'user'] as const).map((scope) => [name, scope] as const),
);

describe.each(cases)('install %s --scope %s', (name, scope) => {
  it('changes existing commented files once and uninstalls to the same bytes', () => {
    const { setup, state } = world(scope);
    const client = clientNamed(name);
    const files = client.changes(setup).map((c) => c.file);
    for (const file of files) {
      const text = beforeOf(file);
      mkdirSync(dirname(file), { recursive: true });
      if (text !== undefined) writeFileSync(file, text);
    }
    expect(install(setup, client, state).every((a) => a.change !== 'unchanged')).toBe(true);
    const first = files.map((file) => readFileSync(file, 'utf8'));
    for (const [i, file] of files.entries()) {
      if (file.endsWith('.json')) {
        expect(first[i]).toContain('// my servers');
        expect(first[i]).toContain('// keep me');
        const parsed = parseJson(first[i] ?? '') as Record<string, Record<string, unknown>>;
        const holds =
          parsed['mcpServers']?.['sluice'] ?? parsed['servers']?.['sluice'] ?? parsed['hooks']?.['PostToolUse'];
        expect(holds).toBeTruthy();
        expect(parsed['mcpServers']?.['other']).toEqual({ command: 'other' });
      }
      if (file.endsWith('.toml')) {
        expect(first[i]).toContain('# inline');
        expect(parseToml(first[i] ?? '')).toMatchObject({
          model: 'x',
          mcp_servers: { other: { command: 'other' }, sluice: { args: ['mcp', '--vault', '/notes/my vault'] } },
        });
      }
    }
    expect(install(setup, client, state).map((a) => a.change)).toEqual(files.map(() => 'unchanged'));
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(first);
    uninstall(setup, client, state);
    for (const file of files) {
      const text = beforeOf(file);
      if (text === undefined) expect(existsSync(file)).toBe(false);
      else expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });
});

describe('install', () => {
  it('prints what a client without an installer needs, and writes nothing', async () => {
    const vault = temporaryFolder('vault');
    const project = temporaryFolder('project');
    const { stdout, code } = await runCli(['install', 'generic', '--vault', vault], { cwd: project });
    expect(code).toBe(0);
    const json = stdout.slice(stdout.indexOf('{'), stdout.lastIndexOf('}') + 1);
    expect(JSON.parse(json)).toEqual({
      mcpServers: { sluice: { command: 'pipeline', args: ['mcp', '--vault', vault] } },
    });
    expect(stdout).toContain('mcp --http');
    expect(readdirSync(project)).toEqual([]);
  });

  it('writes nothing when a file cannot be parsed, and names its line', () => {
    const { setup, state } = world('project');
    const file = join(setup.project, '.mcp.json');
    writeFileSync(file, '{\n  "mcpServers": {\n');
    expect(() => install(setup, clientNamed('claude-code'), state)).toThrow(/not valid JSON/);
    expect(readFileSync(file, 'utf8')).toBe('{\n  "mcpServers": {\n');
    expect(existsSync(join(setup.project, '.claude'))).toBe(false);
  });

  it('leaves a file alone that was edited since', () => {
    const { setup, state } = world('project');
    const client = clientNamed('cursor');
    install(setup, client, state);
    const file = join(setup.project, '.cursor', 'mcp.json');
    writeFileSync(file, `${readFileSync(file, 'utf8')}// mine\n`);
    expect(uninstall(setup, client, state)).toContainEqual({ file, change: 'edited since, left alone' });
    expect(readFileSync(file, 'utf8')).toContain('// mine');
  });

  it('previews without writing and suggests a client', () => {
    const { setup } = world('project');
    expect(preview(clientNamed('vscode').changes(setup))[0]?.text).toContain('"sluice"');
    expect(existsSync(join(setup.project, '.vscode'))).toBe(false);
    expect(() => clientNamed('cluade-code')).toThrow(
      expect.objectContaining({ remedy: 'Did you mean "claude-code"?' }) as Error,
    );
  });
});
