/** `pipeline stages`: what can stand in a pipeline file, generated from the stages themselves. */
import type { Command } from 'commander';
import { ConfigError, suggest } from '../../runner/errors.js';
import type { CommandModule, CommonOptions } from '../command.js';

export const command: CommandModule = {
  configure(command: Command): void {
    command
      .argument('[name]', 'a stage to explain')
      .addHelpText('after', '\nExamples:\n  pipeline stages\n  pipeline stages route\n  pipeline stages --json')
      .action(async (name: string | undefined, flags: CommonOptions) => {
        const { describeStage, stageTable } = await import('../../runner/docs.js');
        const { registry } = await import('../../stages/index.js');
        const { Output } = await import('../output.js');
        const output = new Output(flags);
        if (name === undefined) {
          const rows = stageTable(registry);
          if (output.wantsJson) await output.json(rows);
          else
            for (const row of rows)
              await output.line(`${row.name.padEnd(18)} ${row.takes} -> ${row.gives}  ${row.summary}`);
          return;
        }
        const stage = registry.get(name);
        if (!stage)
          throw new ConfigError('unknown-stage', `There is no stage named "${name}".`, {
            remedy: suggest(name, [...registry.keys()]),
          });
        if (output.wantsJson) await output.json(stageTable(new Map([[name, stage]]))[0]);
        else await output.text(describeStage(stage));
      });
  },
};
