/** The session's plan for tokens, what the blocks take of it, and what is too small for a provider to cache. */

export interface SessionPlan {
  readonly total: number;
  readonly system: number;
  readonly blocks: number;
  readonly search: number;
  readonly conversation: number;
}

export interface SizedBlock {
  readonly name: string;
  readonly tokens: number;
  readonly ttlHours: number;
}

export interface BlockBudget {
  readonly tokens: number;
  readonly allowed: number;
  /** Tokens above what the plan has for blocks; 0 when they fit. */
  readonly over: number;
  /** Blocks to leave out so that the rest fits: the shortest-lived first, they are cached worst. */
  readonly trim: readonly string[];
}

/** Adds the blocks up against the plan. */
export function blockBudget({ blocks: allowed }: SessionPlan, blocks: readonly SizedBlock[]): BlockBudget {
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
  const trim: string[] = [];
  let left = tokens;
  for (const block of [...blocks].sort((a, b) => a.ttlHours - b.ttlHours || b.tokens - a.tokens)) {
    if (left <= allowed) break;
    if (block.tokens === 0) continue;
    trim.push(block.name);
    left -= block.tokens;
  }
  return { tokens, allowed, over: Math.max(0, tokens - allowed), trim };
}

/**
 * Shortest prompts that are cached, in tokens, as the providers' documentation gave them in October 2026. Anything
 * shorter is processed at full price without an error, which is why it is said here.
 */
export const CACHE_MINIMUMS: readonly { readonly provider: string; readonly tokens: number }[] = [
  { provider: 'Anthropic (Opus 5)', tokens: 512 },
  { provider: 'Anthropic (Sonnet 4 and 5, Opus 4, 4.1 and 4.8)', tokens: 1024 },
  { provider: 'OpenAI', tokens: 1024 },
  { provider: 'Google Gemini', tokens: 1024 },
  { provider: 'Anthropic (Haiku 4.5, Opus 4.5 and 4.6)', tokens: 4096 },
];

/** Who will not cache a prefix of so many tokens. */
export function notCachedBy(tokens: number): string[] {
  return CACHE_MINIMUMS.filter((minimum) => tokens < minimum.tokens).map(
    (minimum) => `${minimum.provider}: from ${minimum.tokens}`,
  );
}

/** Share of the input price that a read from the cache costs (Anthropic; others are near it). */
const CACHED_PRICE = 0.1;

/** Tokens' worth that each later prompt of a session saves when the blocks are read from the cache. */
export function savedPerPrompt(tokens: number): number {
  return Math.round(tokens * (1 - CACHED_PRICE));
}
