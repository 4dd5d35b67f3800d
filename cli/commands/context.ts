/** `pipeline context TOPIC`: the block of notes that an agent gets from obsidian_get_context. */
import type { Command } from 'commander';
import type { CommandModule, CommonOptions } from '../command.js';

interface ContextFlags extends CommonOptions {
  readonly format: 'markdown' | 'xml' | 'json' | 'text';
  readonly maxTokens: string;
}

export const command: CommandModule = {
  minusWords: true,
  configure(command: Command): void {
    command
      .argument('<topic>', 'what the block is about')
      .option('--format <format>', 'markdown, xml, json or text', 'markdown')
      .option('--max-tokens <number>', 'size of the block', '2000')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline context "oauth token rotation"\n  pipeline context "deployment" --format xml --max-tokens 1000',
      )
      .action(show);
  },
};

async function show(topic: string, flags: ContextFlags): Promise<void> {
  const { withWorkspace } = await import('../open.js');
  const { Output } = await import('../output.js');
  const { getContext } = await import('../../workspace/context.js');
  const { ConfigError } = await import('../../runner/errors.js');
  const format = flags.json ? 'json' : flags.format;
  const maxTokens = Number(flags.maxTokens);
  if (!['markdown', 'xml', 'json', 'text'].includes(format))
    throw new ConfigError('format', `There is no format "${format}".`, { remedy: 'Use markdown, xml, json or text.' });
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw new ConfigError('max-tokens', `"${flags.maxTokens}" is not a number of tokens.`, {
      remedy: 'Example: --max-tokens 2000',
    });
  const output = new Output(flags);
  await withWorkspace(
    flags,
    async (workspace) => {
      const ceiling = workspace.settings.sensitivity.ceilings['cli'] ?? 'secret';
      const block = await getContext(workspace, {
        topic,
        maxTokens,
        filter: { ceiling },
        ...(format === 'json' ? {} : { format }),
      });
      for (const { message } of block.notices) await output.info(`note: ${message}`);
      if (format !== 'json') await output.text(block.text);
      else
        await output.json({
          topic,
          tokens: block.tokens,
          text: block.text,
          sources: block.sources,
          confidence: block.confidence,
          good: block.good,
          notices: block.notices,
        });
    },
    { readOnly: true },
  );
}
