/** How `pipeline blocks` shows what there is: tables for people, rows for scripts. */
import type { BlockSettings } from '../../config/blocks.js';
import type { Settings } from '../../config/schema.js';
import { blockBudget, notCachedBy, type SizedBlock, savedPerPrompt } from '../../lib/blocks/budget.js';
import type { BlockState, Refreshed } from '../../workspace/blocks/blocks.js';

const HOUR_MS = 3_600_000;

/** What each block holds, in the order they are given to a model. */
export function listLines(settings: readonly [string, BlockSettings][]): string[] {
  return settings.map(([name, { vault_query: query, notes, moc, max_tokens: tokens, ttl_hours: hours }]) => {
    const what = query ?? (moc === undefined ? `${notes?.length ?? 0} notes` : `links of ${moc}`);
    return `${name}  ${tokens} tokens at most, ${hours} h: ${what}`;
  });
}

/** The fields of CLI.md, and why a block is stale. */
export function statusRows(states: readonly BlockState[]): object[] {
  return states.map(({ name, stored, stale }) => ({
    name,
    tokens: stored?.tokens ?? 0,
    built: stored?.built ?? null,
    expires: stored?.expires ?? null,
    changed: stored?.changed ?? null,
    files: stored?.files.map(({ path }) => path) ?? [],
    stale: stale !== undefined,
    reason: stale ?? null,
    sha256: stored?.sha256 ?? null,
  }));
}

export function statusLines(states: readonly BlockState[], session: Settings['session'], now: number): string[] {
  const lines = states.map(({ name, stored, stale }) => {
    if (!stored) return `${name}  not built yet`;
    const age = hours(now - Date.parse(stored.built));
    const left = hours(Date.parse(stored.expires) - now);
    const state = stale === undefined ? `expires in ${left}` : `stale: ${stale}`;
    return `${name}  ${stored.tokens} tokens, ${stored.files.length} notes, built ${age} ago, ${state}, text from ${stored.changed.slice(0, 10)}`;
  });
  const sized = states.map(({ name, settings, stored }) => ({
    name,
    tokens: stored?.tokens ?? 0,
    ttlHours: settings.ttl_hours,
  }));
  return [...lines, ...planLines(session, sized)];
}

/** After a build: what the plan says of the blocks, only when there is something to say. */
export function budgetLines(session: Settings['session'], refreshed: readonly Refreshed[]): string[] {
  const sized = refreshed.map(({ block, settings }) => ({
    name: block.name,
    tokens: block.tokens,
    ttlHours: settings.ttl_hours,
  }));
  return [...overrun(session, sized), ...tooShort(sized)];
}

function planLines(session: Settings['session'], sized: readonly SizedBlock[]): string[] {
  const { tokens, allowed } = blockBudget(session, sized);
  if (tokens === 0) return [];
  return [
    `Together ${tokens} of ${allowed} tokens; read from a provider's cache they save ${savedPerPrompt(tokens)} tokens' worth with every further prompt.`,
    ...overrun(session, sized),
    ...tooShort(sized),
  ];
}

function overrun(session: Settings['session'], sized: readonly SizedBlock[]): string[] {
  const { over, allowed, trim } = blockBudget(session, sized);
  if (over === 0) return [];
  return [
    `The blocks are ${over} tokens over the ${allowed} of session.blocks. Leave out ${trim.join(', ')}, lower max_tokens, or raise session.blocks in config.yaml.`,
  ];
}

function tooShort(sized: readonly SizedBlock[]): string[] {
  const tokens = sized.reduce((sum, block) => sum + block.tokens, 0);
  const minimums = tokens > 0 ? notCachedBy(tokens) : [];
  return minimums.length === 0
    ? []
    : [
        `${tokens} tokens alone are too few to be cached by ${minimums.join('; ')}. Behind a long system prompt they are cached with it.`,
      ];
}

function hours(ms: number): string {
  const whole = Math.max(0, ms) / HOUR_MS;
  return whole < 1 ? `${Math.round(whole * 60)} min` : `${Math.round(whole)} h`;
}
