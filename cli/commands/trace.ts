/** `pipeline trace`: where a note came from, or what became of an item. */
import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('<what>', 'note path, URL, item id, or part of a title')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline trace "05-signals/security/CVE-2026-31337.md"\n  pipeline trace https://example.org/post --json',
      )
      .action(async (what: string, flags: CommonOptions) => {
        process.exitCode = await run(what, flags);
      });
  },
};

async function run(what: string, flags: CommonOptions): Promise<number> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { trace } = await import('../../workspace/trace.js');
  const { ledgerIfAny, mayHaveIndex } = await import('../../workspace/server.js');
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const ledger = await ledgerIfAny(workspace);
      const store = mayHaveIndex(workspace) ? await workspace.resources.use('store') : undefined;
      const found = await trace(vaultPath(what, workspace.vaultDir), ledger, store);
      if (output.wantsJson) {
        await output.json(found);
        return 0;
      }
      await output.line(found.title);
      for (const { at, stage, what: happened } of found.steps) await output.line(`  ${at}  ${stage}: ${happened}`);
      await output.line(found.note === null ? '  no note' : `  note ${found.note}`);
      for (const { id, section, lines } of found.chunks)
        await output.line(`    chunk ${id}  lines ${lines[0]}-${lines[1]}  ${section || '(before the first heading)'}`);
      return 0;
    },
    { readOnly: true },
  );
}

/** A path on disk as the vault knows it; anything else as it is. */
function vaultPath(what: string, vaultDir: string): string {
  if (!what.endsWith('.md')) return what;
  const inside = relative(vaultDir, resolve(what));
  const isInside = inside !== '' && !inside.startsWith('..') && !isAbsolute(inside) && existsSync(resolve(what));
  return isInside ? inside.split(sep).join('/') : what;
}
