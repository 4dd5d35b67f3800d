/** Finds credentials in text and takes them out: one scan for keywords, matchers where they stand, one rewrite. */
import { createHash } from 'node:crypto';
import { memoised } from '../memo.js';
import { customMatcher } from './custom.js';
import { KeywordScanner } from './keywords.js';
import {
  assignmentMatcher,
  type Candidate,
  kubernetesMatcher,
  type Matcher,
  ruleMatcher,
  type Scan,
} from './matchers.js';
import { anyOf } from './re2.js';
import type { SecretsConfig } from './rules.js';
import type { Finding, Scrubbed, Scrubber } from './types.js';
import { scanUnescaped } from './unescape.js';
import { scrubValue } from './values.js';

/** A region of the original text to be replaced. Regions are sorted and never touch. */
interface Region {
  readonly pattern: string;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
}

/** Redaction can bring characters together that then look like a credential; three passes were the most ever needed. */
const MAX_PASSES = 8;
const PLACEHOLDER_START = '[REDACTED:';

/** Builds a scrubber. Compiling 180 patterns takes about 15 ms; make one and keep it. */
export function createScrubber(config: SecretsConfig): Scrubber {
  const matchers = compile(config);
  const byKeyword: { keyword: string; matchers: Matcher[] }[] = [];
  const slots = new Map<string, Matcher[]>();
  for (const matcher of matchers) {
    for (const raw of matcher.keywords) {
      const keyword = raw.toLowerCase();
      const slot = slots.get(keyword);
      if (slot) slot.push(matcher);
      else {
        const fresh = [matcher];
        slots.set(keyword, fresh);
        byKeyword.push({ keyword, matchers: fresh });
      }
    }
  }
  const scanner = new KeywordScanner(byKeyword.map((k) => k.keyword));
  const isAllowed = anyOf(config.allow, 'An `allow` of secrets.yaml');
  const known = new Set([...matcherNames(config)]);

  const scan = (text: string): readonly Candidate[] => {
    const found: Scan = {
      text,
      found: [],
      noEndFrom: new Map(),
      manifestsTo: 0,
      matchedTo: new Map(),
      lastValue: { start: -1, value: '' },
      lastJudged: undefined,
    };
    scanner.scan(text, (keyword, start, end) => {
      for (const matcher of byKeyword[keyword]?.matchers ?? []) matcher.at(found, start, end);
    });
    return found.found;
  };

  const find = (text: string): readonly Candidate[] => {
    const found = [...scan(text), ...scanUnescaped(text, scan)];
    const wanted = config.allow.length === 0 ? found : found.filter((c) => !isAllowed(text.slice(c.start, c.end)));
    return text.includes(PLACEHOLDER_START) ? outsidePlaceholders(text, wanted, known) : wanted;
  };

  const scrubOnce = (text: string): Scrubbed => {
    let regions: readonly Region[] = [];
    let current = text;
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const found = find(current);
      if (found.length === 0) break;
      const placed = place(regions);
      regions = merge([...regions, ...found.map((c) => toOriginal(c, placed))]);
      current = render(text, regions);
    }
    return regions.length === 0 ? { text, findings: [] } : { text: current, findings: withLines(text, regions) };
  };

  // An article is scrubbed as a stage and again on its way into the ledger. Only clean texts are remembered.
  const scrub = memoised(scrubOnce, { keep: ({ findings }) => findings.length === 0 });

  return {
    fingerprint: createHash('sha256').update(JSON.stringify(config)).digest('hex').slice(0, 16),
    scrub,
    scrubValue: (value, onFinding) => scrubValue(value, scrub, onFinding),
  };
}

function compile(config: SecretsConfig): Matcher[] {
  const enabled = Object.entries(config.patterns).filter(([, rule]) => rule.enabled);
  return [
    ...enabled.map(([id, rule]) => ruleMatcher(id, rule)),
    ...Object.entries(config.custom)
      .filter(([, rule]) => rule.enabled)
      .map(([id, rule]) => customMatcher(id, rule)),
    ...(config.assignments.enabled ? [assignmentMatcher(config.assignments)] : []),
    ...(config.kubernetes ? [kubernetesMatcher()] : []),
  ];
}

function matcherNames(config: SecretsConfig): string[] {
  return [
    ...Object.keys(config.patterns),
    ...Object.keys(config.custom),
    'assigned-secret',
    'assigned-password',
    'kubernetes-secret',
  ];
}

/** Drops candidates that lie in a placeholder or cut one in two; those around whole placeholders stay. */
function outsidePlaceholders(text: string, found: readonly Candidate[], known: ReadonlySet<string>): Candidate[] {
  const places = [...text.matchAll(/\[REDACTED:([a-z0-9-]{1,48})\]/g)]
    .filter((m) => known.has(m[1] ?? ''))
    .map((m) => ({ start: m.index, end: m.index + m[0].length }));
  return found.filter(({ start, end }) => {
    // The first placeholder that reaches beyond the start, and the last before the end, are the only ones cut.
    const first = places[firstWhere(places, (p) => p.end > start)];
    const last = places[firstWhere(places, (p) => p.start >= end) - 1];
    if (!first || first.start >= end) return true;
    const isWhole = first.start === start && first.end === end;
    return !isWhole && first.start >= start && last !== undefined && last.end <= end;
  });
}

/** Overlapping regions become one, named by the most specific pattern, then the longest. */
function merge(regions: readonly Region[]): Region[] {
  const sorted = [...regions].sort((a, b) => a.start - b.start || b.end - a.end);
  const merged: Region[] = [];
  for (const region of sorted) {
    const last = merged.at(-1);
    if (!last || region.start >= last.end) {
      merged.push(region);
      continue;
    }
    const named =
      region.rank > last.rank || (region.rank === last.rank && length(region) > length(last)) ? region : last;
    merged[merged.length - 1] = { ...named, start: last.start, end: Math.max(last.end, region.end) };
  }
  return merged;
}

const length = ({ start, end }: Region): number => end - start;

function replacement(text: string, region: Region): string {
  const lines = text.slice(region.start, region.end).split('\n').length - 1;
  return `${PLACEHOLDER_START}${region.pattern}]${'\n'.repeat(lines)}`;
}

function render(text: string, regions: readonly Region[]): string {
  let out = '';
  let at = 0;
  for (const region of regions) {
    out += text.slice(at, region.start) + replacement(text, region);
    at = region.end;
  }
  return out + text.slice(at);
}

/** Where each region's replacement lies in the rewritten text, in order. */
interface Placed {
  readonly region: Region;
  readonly from: number;
  readonly to: number;
}

function place(regions: readonly Region[]): Placed[] {
  let shift = 0;
  return regions.map((region) => {
    const from = region.start - shift;
    const to = from + PLACEHOLDER_START.length + region.pattern.length + 1;
    shift = region.end - to;
    return { region, from, to };
  });
}

/** Moves a candidate found in the rewritten text back to the original; ends inside a replacement take the whole region. */
function toOriginal(candidate: Candidate, placed: readonly Placed[]): Region {
  const back = (offset: number, isEnd: boolean): number => {
    const at = placed[firstWhere(placed, (p) => p.to > offset || (isEnd && p.to === offset))];
    if (at && (isEnd ? offset > at.from : offset >= at.from)) return isEnd ? at.region.end : at.region.start;
    const before = placed[firstWhere(placed, (p) => p.to > offset || (isEnd && p.to === offset)) - 1];
    return before ? offset + before.region.end - before.to : offset;
  };
  return { ...candidate, start: back(candidate.start, false), end: back(candidate.end, true) };
}

/** Index of the first item that passes a test which, once passed, all later ones pass; the length when none does. */
function firstWhere<T>(items: readonly T[], test: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && test(item)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function withLines(text: string, regions: readonly Region[]): Finding[] {
  let line = 1;
  let newline = text.indexOf('\n');
  return regions.map(({ pattern, start, end }) => {
    for (; newline >= 0 && newline < start; newline = text.indexOf('\n', newline + 1)) line++;
    return { pattern, line, start, end };
  });
}
