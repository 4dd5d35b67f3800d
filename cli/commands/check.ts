/** `pipeline check`: lint pipeline files; every finding with file, line and remedy. */
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('[pipelines...]', "names or files (default: all shipped ones and the vault's own)")
      .addHelpText('after', '\nExamples:\n  pipeline check\n  pipeline check ingest my-pipeline.yaml --json')
      .action(async (names: string[], flags: CommonOptions) => {
        process.exitCode = await check(names, flags);
      });
  },
};

async function check(names: readonly string[], flags: CommonOptions): Promise<number> {
  const { checkPipeline } = await import('../../runner/load.js');
  const { describeError } = await import('../../runner/errors.js');
  const { registry } = await import('../../stages/index.js');
  const { listPipelines, readPipelineSource } = await import('../../workspace/pipelines.js');
  const { openForCommand } = await import('../open.js');
  const { Output } = await import('../output.js');
  const output = new Output(flags);
  // A vault is optional here: files can be checked anywhere.
  const workspace = flags.vault === undefined && flags.config === undefined ? undefined : await openForCommand(flags);
  const userDir = workspace?.userDir ?? (existsSync('.pipeline') ? '.pipeline' : undefined);
  const stages = workspace?.registry ?? registry;
  const targets = names.length > 0 ? names : [...listPipelines(userDir).keys()];
  const findings = targets.flatMap((name) =>
    checkPipeline(readPipelineSource(name, userDir), { registry: stages, env: process.env }),
  );
  await workspace?.close();
  if (output.wantsJson) {
    await output.json(
      findings.map((f) => ({
        file: f.file,
        line: f.line,
        step: f.step,
        code: f.code,
        message: f.message,
        remedy: f.remedy,
      })),
    );
  } else {
    for (const finding of findings) await output.line(describeError(finding));
    await output.info(findings.length === 0 ? `${targets.length} pipeline(s) fine.` : `${findings.length} problem(s).`);
  }
  return findings.length > 0 ? 2 : 0;
}
