/** Writes blocks as a prompt takes them. Same blocks in, same bytes out: no clock, no machine, `\n` at line ends. */

export interface RenderedBlock {
  readonly name: string;
  readonly text: string;
  readonly ttlHours: number;
}

export type BlockFormat = 'markdown' | 'xml' | 'messages' | 'prefix';

/** Anthropic's API takes this many cache breakpoints in a request. */
export const MAX_BREAKPOINTS = 4;

const attribute = (text: string): string => text.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
const tagged = ({ name, text }: RenderedBlock): string =>
  `<block name="${attribute(name)}">\n${text.trimEnd()}\n</block>\n`;

export const FORMATS: Readonly<Record<BlockFormat, (blocks: readonly RenderedBlock[]) => string>> = {
  markdown: (blocks) => blocks.map(({ text }) => `${text.trimEnd()}\n`).join('\n'),
  xml: (blocks) => blocks.map(tagged).join(''),
  /** For providers that cache whatever two prompts begin with alike: put it first, what changes after it. */
  prefix: (blocks) => blocks.map(tagged).join(''),
  messages: (blocks) => `${JSON.stringify(messages(blocks), undefined, 2)}\n`,
};

interface ContentBlock {
  readonly type: 'text';
  readonly text: string;
  readonly cache_control?: { readonly type: 'ephemeral'; readonly ttl: '5m' | '1h' };
}

/**
 * A user message as Anthropic's API takes it. A breakpoint closes each group of blocks with the same term, longest
 * first, so that what lives longer stays cached when a later group changes; of more than four groups the last ones
 * share a breakpoint.
 */
export function messages(
  blocks: readonly RenderedBlock[],
): readonly { role: 'user'; content: readonly ContentBlock[] }[] {
  const closing = blocks.flatMap((block, i) => (blocks[i + 1]?.ttlHours === block.ttlHours ? [] : [i]));
  const kept = new Set([...closing.slice(0, MAX_BREAKPOINTS - 1), ...closing.slice(-1)]);
  const content = blocks.map((block, i): ContentBlock => {
    const text = tagged(block);
    if (!kept.has(i)) return { type: 'text', text };
    return { type: 'text', text, cache_control: { type: 'ephemeral', ttl: block.ttlHours >= 1 ? '1h' : '5m' } };
  });
  return blocks.length === 0 ? [] : [{ role: 'user', content }];
}
