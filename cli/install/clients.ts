/** Where each client keeps its settings and what goes in. Formats: docs/agents.md names the page each comes from. */
import { homedir, platform } from 'node:os';
import { join } from 'node:path';
import { HASH_MARKS, HTML_MARKS, putBlock } from './block.js';
import { checkJson, setJson } from './json-edit.js';

export type Scope = 'user' | 'project';

export interface Setup {
  /** Absolute path of the vault. */
  readonly vault: string;
  /** How to start us: command and leading arguments. */
  readonly command: string;
  readonly args: readonly string[];
  readonly scope: Scope;
  /** Project folder for `project` scope. */
  readonly project: string;
  readonly hooks: boolean;
  readonly home?: string;
}

/** One file of a client: the new text from the old one ('' when there is none). Must be idempotent. */
export interface FileChange {
  readonly file: string;
  edit(text: string): string;
}

export interface Client {
  readonly summary: string;
  changes(setup: Setup): readonly FileChange[];
}

const SERVER = 'sluice';

const serverEntry = ({ command, args, vault }: Setup): object => ({
  command,
  args: [...args, 'mcp', '--vault', vault],
});

/** A JSON file in which `path` becomes the server's entry. */
function jsonServer(file: string, key: string, setup: Setup, extra: object = {}): FileChange {
  return {
    file,
    edit(text) {
      checkJson(text.trim() === '' ? '{}' : text, file);
      return setJson(text, [key, SERVER], { ...extra, ...serverEntry(setup) });
    },
  };
}

const RULES = `The vault of notes is served by the MCP server "sluice". Before you work on a topic, call obsidian_get_context for it;
look identifiers and error messages up with obsidian_search. When \`good\` is false nothing relevant is known: do not quote.
Cite notes by path and line. What you learn goes through \`pipeline capture "text" --by AGENT\`, never into the vault itself.`;

const skill = (setup: Setup, name: 'capture' | 'search'): string =>
  name === 'capture'
    ? `---
name: capture
description: Keep something learned as a note in the vault. Use when the user says /capture or asks to remember something.
---

Run \`${[setup.command, ...setup.args].join(' ')} capture "TEXT" --domain DOMAIN --tags a,b --vault "${setup.vault}"\`.
Write TEXT as one or two complete sentences that stand on their own in a year. Never put credentials in it.
`
    : `---
name: search-notes
description: Look something up in the user's notes. Use before answering questions about their projects, decisions or conventions.
---

Call the MCP tool obsidian_search with 2-8 words or an exact identifier. If \`good\` is false, say that the notes have nothing.
Read further with obsidian_read_note by line range. Cite path and lines.
`;

const hookCommand = (setup: Setup, name: string): string =>
  [setup.command, ...setup.args, 'hook', name, '--vault', `"${setup.vault}"`].join(' ');

/** For a client without an installer: what to paste, in the shape most of them take. */
export function generic(setup: Setup): string {
  const server = JSON.stringify({ mcpServers: { [SERVER]: serverEntry(setup) } }, undefined, 2);
  return `# MCP server over stdio, for the client's settings
${server}

# Or over HTTP, for clients that take a URL (http://127.0.0.1:3333/mcp)
${[setup.command, ...setup.args].join(' ')} mcp --http --vault "${setup.vault}"

# For the file of rules or the system prompt
${RULES}
`;
}

/** Hooks of one event as Claude Code's settings hold them; ours are found again by their command. */
function withHooks(file: string, setup: Setup): FileChange {
  const wanted: readonly (readonly [event: string, matcher: string, name: string])[] = [
    ['SessionStart', 'startup|clear|compact', 'session'],
    ['PreToolUse', 'Edit|Write|Bash', 'context'],
    ['PostToolUse', 'Bash', 'compress'],
  ];
  return {
    file,
    edit(text) {
      checkJson(text.trim() === '' ? '{}' : text, file);
      return wanted.reduce((at, [event, matcher, name]) => {
        const command = hookCommand(setup, name);
        if (at.includes(JSON.stringify(command))) return at;
        return setJson(at, ['hooks', event, -1], { matcher, hooks: [{ type: 'command', command, timeout: 10 }] });
      }, text);
    },
  };
}

function claudeDesktopFolder(home: string): string {
  if (platform() === 'darwin') return join(home, 'Library', 'Application Support', 'Claude');
  return platform() === 'win32' ? join(home, 'AppData', 'Roaming', 'Claude') : join(home, '.config', 'Claude');
}

const homeOf = (setup: Setup): string => setup.home ?? homedir();
const whole = (file: string, text: string): FileChange => ({ file, edit: () => text });

export const CLIENTS: Readonly<Record<string, Client>> = {
  'claude-code': {
    summary: '.mcp.json (project) or ~/.claude.json (user), hooks in settings.json, two skills',
    changes(setup) {
      const user = setup.scope === 'user';
      const folder = join(user ? homeOf(setup) : setup.project, '.claude');
      return [
        jsonServer(user ? join(homeOf(setup), '.claude.json') : join(setup.project, '.mcp.json'), 'mcpServers', setup, {
          type: 'stdio',
        }),
        ...(setup.hooks ? [withHooks(join(folder, 'settings.json'), setup)] : []),
        whole(join(folder, 'skills', 'capture', 'SKILL.md'), skill(setup, 'capture')),
        whole(join(folder, 'skills', 'search-notes', 'SKILL.md'), skill(setup, 'search')),
      ];
    },
  },
  codex: {
    summary: '.codex/config.toml with server and context hook, a block in AGENTS.md',
    changes(setup) {
      const user = setup.scope === 'user';
      const folder = join(user ? homeOf(setup) : setup.project, '.codex');
      const { command, args, vault } = setup;
      const list = [...args, 'mcp', '--vault', vault].map((a) => JSON.stringify(a)).join(', ');
      // No `compress`: Codex cannot replace a tool's output yet, and a short form beside the long one is only longer.
      const hook = `\n[[hooks.PreToolUse]]\nmatcher = "^(Bash|apply_patch)$"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = ${JSON.stringify(hookCommand(setup, 'context'))}\ntimeout = 10`;
      const toml = `[mcp_servers.${SERVER}]\ncommand = ${JSON.stringify(command)}\nargs = [${list}]\n${setup.hooks ? hook : ''}`;
      return [
        { file: join(folder, 'config.toml'), edit: (text) => putBlock(text, toml, HASH_MARKS) },
        { file: join(user ? folder : setup.project, 'AGENTS.md'), edit: (text) => putBlock(text, RULES, HTML_MARKS) },
      ];
    },
  },
  cursor: {
    summary: '.cursor/mcp.json and a rule',
    changes(setup) {
      const folder = join(setup.scope === 'user' ? homeOf(setup) : setup.project, '.cursor');
      const rule = whole(
        join(folder, 'rules', 'sluice.mdc'),
        `---\ndescription: How to use the vault of notes\nalwaysApply: true\n---\n\n${RULES}\n`,
      );
      return [jsonServer(join(folder, 'mcp.json'), 'mcpServers', setup), ...(setup.scope === 'project' ? [rule] : [])];
    },
  },
  vscode: {
    summary: '.vscode/mcp.json',
    changes: (setup) => [jsonServer(join(setup.project, '.vscode', 'mcp.json'), 'servers', setup, { type: 'stdio' })],
  },
  'claude-desktop': {
    summary: 'claude_desktop_config.json',
    changes: (setup) => [
      jsonServer(join(claudeDesktopFolder(homeOf(setup)), 'claude_desktop_config.json'), 'mcpServers', setup),
    ],
  },
};
