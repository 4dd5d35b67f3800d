/** `pipeline context TOPIC`: the block of notes that an agent gets from obsidian_get_context. */
import type { Command } from 'commander';
import type { Workspace } from '../../workspace/workspace.js';
import type { CommandModule, CommonOptions } from '../command.js';

interface ContextFlags extends CommonOptions {
  readonly format: 'markdown' | 'xml' | 'json' | 'text';
  readonly maxTokens: string;
  readonly blocks?: boolean;
}

export const command: CommandModule = {
  minusWords: true,
  configure(command: Command): void {
    command
      .argument('[topic]', 'what the block is about; may be left out with --blocks')
      .option('--format <format>', 'markdown, xml, json or text', 'markdown')
      .option('--max-tokens <number>', 'size of the block', '2000')
      .option('--blocks', 'put the prompt-cache blocks first, within session.blocks tokens')
      .addHelpText(
        'after',
        '\nExamples:\n  pipeline context "oauth token rotation"\n  pipeline context "deployment" --format xml --max-tokens 1000\n  pipeline context "token rotation" --blocks',
      )
      .action(show);
  },
};

async function show(topic: string | undefined, flags: ContextFlags): Promise<void> {
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
  if (topic === undefined && !flags.blocks)
    throw new ConfigError('blank-query', 'No topic is given.', {
      remedy: 'Say what the block is about, or add --blocks.',
    });
  const output = new Output(flags);
  await withWorkspace(
    flags,
    async (workspace) => {
      const session = flags.blocks ? await blocksOf(workspace) : undefined;
      if (session && session.leftOut.length > 0)
        await output.info(`note: no room in session.blocks for ${session.leftOut.join(', ')}`);
      if (session && format !== 'json') await output.text(session.text);
      if (topic === undefined) {
        if (format === 'json')
          await output.json({ blocks: session?.names ?? [], tokens: session?.tokens ?? 0, text: session?.text ?? '' });
        return;
      }
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
          ...(session ? { blocks: session.names, prefix: session.text } : {}),
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

async function blocksOf(workspace: Workspace) {
  const { sessionBlocks } = await import('../../workspace/blocks/session.js');
  const { FORMATS } = await import('../../lib/blocks/render.js');
  const { blocks, tokens, leftOut } = await sessionBlocks(workspace);
  return { names: blocks.map(({ name }) => name), text: FORMATS.prefix(blocks), tokens, leftOut };
}
