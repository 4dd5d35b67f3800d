/** Fits hits into a token budget (SPEC 23): greedy in rank order, nothing lost without being said. */
import type { Hit } from '../../runner/items.js';
import type { TokenCounter } from './tokens.js';

export interface BudgetRules {
  readonly maxTokens: number;
  /** Hits wanted at most. */
  readonly limit: number;
  /** Chunks of one note at most. */
  readonly perNote: number;
  /** What happens when the very first hit is too long. */
  readonly firstTooLong: 'truncate' | 'skip';
}

export interface Cut {
  readonly file_path: string;
  readonly section: string;
  readonly tokens: number;
  readonly reason: 'too-long' | 'per-note';
}

/** What the budget did; `search --explain` prints it. */
export interface BudgetReport {
  readonly max_tokens: number;
  readonly used: number;
  readonly kept: number;
  readonly truncated: boolean;
  /** Hits left out although there was still room for results. */
  readonly cut: readonly Cut[];
  /** Hits beyond the wanted number. */
  readonly beyond_limit: number;
}

/**
 * Takes hits in order while they fit. The first is truncated with `…` rather than dropped; a later one that does not
 * fit is skipped and shorter ones after it still have their chance.
 */
export function applyBudget(
  hits: readonly Hit[],
  rules: BudgetRules,
  tokens: TokenCounter,
): { hits: Hit[]; report: BudgetReport } {
  const kept: Hit[] = [];
  const cut: Cut[] = [];
  const ofNote = new Map<string, number>();
  let used = 0;
  let beyond = 0;
  let truncated = false;
  for (const hit of hits) {
    if (kept.length >= rules.limit) {
      beyond++;
      continue;
    }
    const cost = tokens.count(hit.text);
    const leave = (reason: Cut['reason']): void => {
      cut.push({ file_path: hit.path, section: hit.section, tokens: cost, reason });
    };
    if ((ofNote.get(hit.path) ?? 0) >= rules.perNote) leave('per-note');
    else if (used + cost <= rules.maxTokens) {
      kept.push(hit);
      used += cost;
      ofNote.set(hit.path, (ofNote.get(hit.path) ?? 0) + 1);
    } else if (kept.length === 0 && rules.firstTooLong === 'truncate') {
      const text = truncate(hit.text, rules.maxTokens, tokens);
      kept.push({ ...hit, text, truncated: true });
      used += tokens.count(text);
      truncated = true;
      ofNote.set(hit.path, 1);
    } else leave('too-long');
  }
  return {
    hits: kept,
    report: { max_tokens: rules.maxTokens, used, kept: kept.length, truncated, cut, beyond_limit: beyond },
  };
}

/** The beginning of a text with `…`, together within so many tokens. */
export function truncate(text: string, maxTokens: number, tokens: TokenCounter): string {
  if (tokens.count(text) <= maxTokens) return text;
  for (let room = maxTokens; room >= 0; room--) {
    const short = `${shorten(tokens, text, room)}…`;
    if (tokens.count(short) <= maxTokens) return short;
  }
  return '…';
}

/** Leaves room for the ellipsis: it is one character, which may or may not be a token of its own. */
function shorten(tokens: TokenCounter, text: string, room: number): string {
  const start = tokens.take(text, room);
  return tokens.count(`${start}…`) <= room ? start : start.slice(0, -1).replace(/[\ud800-\udbff]$/, '');
}
