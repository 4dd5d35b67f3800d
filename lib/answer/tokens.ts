/** Counts tokens the way a budget asks for: four characters each by default, exactly on request. */

export interface TokenCounter {
  count(text: string): number;
  /** The longest beginning of the text that is at most so many tokens, never half a surrogate pair. */
  take(text: string, tokens: number): string;
}

/** Characters a token of English prose has on average; for CJK it undercounts by about three (use `o200k` there). */
const CHARACTERS_PER_TOKEN = 4;

export const byCharacters: TokenCounter = {
  count: (text) => Math.ceil(text.length / CHARACTERS_PER_TOKEN),
  take: (text, tokens) => cutAt(text, Math.max(0, tokens) * CHARACTERS_PER_TOKEN),
};

/** OpenAI's o200k_base, loaded on first use (60 ms): for budgets that must hold exactly. */
export async function exactTokens(): Promise<TokenCounter> {
  const { countTokens, decode, encode } = await import('gpt-tokenizer/encoding/o200k_base');
  return {
    count: (text) => countTokens(text),
    take: (text, tokens) => {
      // A token may end inside a character; such an end is not text.
      const start = decode(encode(text).slice(0, Math.max(0, tokens)));
      return text.startsWith(start) ? cutAt(text, start.length) : cutAt(text, commonLength(text, start));
    },
  };
}

/** The first `length` UTF-16 units, one fewer where that would split a pair. */
export function cutAt(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function commonLength(a: string, b: string): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}
