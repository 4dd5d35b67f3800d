/** Turns rules into matchers: functions that look at one keyword occurrence and report candidates. */
import { createHash } from 'node:crypto';
import { type Assignment, type LastValue, nameBefore, readAssignment } from './assignment.js';
import { entropy } from './entropy.js';
import { secretManifest } from './kubernetes.js';
import { type NamedSecret, type NameGrammar, nameGrammar } from './named-secrets.js';
import { type AssignmentRules, isTokenRule, type NamedRule, type Rule, type TokenRule } from './rules.js';

/** A possible secret. `rank` decides whose name a region gets: issuer before form before name. */
export interface Candidate {
  readonly pattern: string;
  readonly start: number;
  readonly end: number;
  readonly rank: number;
}

/** What one scan carries along: candidates, and how far a block search has already looked in vain. */
export interface Scan {
  readonly text: string;
  readonly found: Candidate[];
  /** Per block rule: no end marker exists at or after this offset. */
  readonly noEndFrom: Map<string, number>;
  /** Kubernetes documents read so far end here. */
  manifestsTo: number;
  /** Per token rule: its last match ends here; keywords inside it are part of it. */
  readonly matchedTo: Map<string, number>;
  readonly lastValue: LastValue;
  /** Whether the value that starts there is a secret under a name of that kind, as judged last. */
  lastJudged: { start: number; kind: NamedSecret; secret: boolean } | undefined;
}

export interface Matcher {
  readonly keywords: readonly string[];
  at(scan: Scan, start: number, end: number): void;
}

const RANK = { vendor: 3, form: 2, name: 1 };
/** A key block longer than this is not one. */
const MAX_BLOCK = 65_536;

/** Compiles one rule of the shipped file. */
export function ruleMatcher(id: string, rule: Rule): Matcher {
  const accept = acceptor(rule);
  if (!isTokenRule(rule)) return namedMatcher(id, rule, accept);
  return rule.until === undefined ? tokenMatcher(id, rule, accept) : blockMatcher(id, rule, rule.until);
}

/** A token is random from its start: of longer ones this many characters say enough. */
const JUDGED = 96;

type Accept = (text: string, from: number, to: number) => boolean;

function acceptor(rule: Rule): Accept {
  const allow = rule.allow.map((source) => new RegExp(source, 'i'));
  return (text, from, to) => {
    if (rule.entropy > 0 && entropy(text, from, Math.min(to, from + JUDGED)) < rule.entropy) return false;
    const secret = text.slice(from, to);
    if (allow.some((regex) => regex.test(secret))) return false;
    return rule.allowSha256.length === 0 || !isKnownExample(secret, rule.allowSha256);
  };
}

function isKnownExample(secret: string, prefixes: readonly string[]): boolean {
  const digest = createHash('sha256').update(secret).digest('hex');
  return prefixes.some((prefix) => digest.startsWith(prefix));
}

function tokenMatcher(id: string, rule: TokenRule, accept: Accept): Matcher {
  // Where groups lie costs an array a match: only rules that name a group ask for it.
  const grouped = /\(\?<(?:secret|head)>/.test(rule.regex);
  const regex = new RegExp(rule.regex, `${grouped ? 'd' : ''}y${rule.ignoreCase ? 'i' : ''}`);
  return {
    keywords: rule.keywords,
    at({ text, found, matchedTo }, start) {
      if (start < (matchedTo.get(id) ?? 0) || (rule.boundary && !isBoundary(text, start))) return;
      regex.lastIndex = start;
      const match = regex.exec(text);
      if (!match) return;
      const groups = match.indices?.groups;
      const [begin, stop] = groups?.['secret'] ?? [start, regex.lastIndex];
      const from = groups?.['head']?.[0] ?? begin;
      if (!accept(text, from, stop)) return;
      matchedTo.set(id, stop);
      found.push({ pattern: id, start: from, end: stop, rank: RANK[rule.kind] });
    },
  };
}

/** Escapes that end in a letter or digit and so hide a boundary: `\n` in JSON strings, `%3D` in URLs. */
const ESCAPE = /(?:\\[nrt]|%[0-9A-Fa-f]{2})$/;

function isBoundary(text: string, start: number): boolean {
  if (start === 0 || !/[A-Za-z0-9]/.test(text.charAt(start - 1))) return true;
  return ESCAPE.test(text.slice(Math.max(0, start - 3), start));
}

/**
 * Blocks run from a header to the first end marker. Without one (a key cut off by an excerpt) the lines that look like
 * key material go. A failed search for the end is remembered, so that many headers cost one search.
 */
function blockMatcher(id: string, rule: TokenRule, until: string): Matcher {
  const header = new RegExp(rule.regex, rule.ignoreCase ? 'yi' : 'y');
  const footer = new RegExp(until, 'g');
  const keyLines = /(?:(?:\\r)?(?:\\n)?[\s>*"',+]{0,12}[A-Za-z0-9+/=]{16,200}){1,800}/y;
  return {
    keywords: rule.keywords,
    at(scan, start) {
      const { text, found, noEndFrom } = scan;
      header.lastIndex = start;
      if (!header.test(text)) return;
      const body = header.lastIndex;
      let end: number | undefined;
      if (body < (noEndFrom.get(id) ?? Number.POSITIVE_INFINITY)) {
        footer.lastIndex = body;
        const match = footer.exec(text);
        if (match) end = match.index - body <= MAX_BLOCK ? footer.lastIndex : undefined;
        else noEndFrom.set(id, body);
      }
      if (end === undefined) {
        keyLines.lastIndex = body;
        if (!keyLines.test(text)) return;
        end = keyLines.lastIndex;
      }
      const material = text.slice(body, end).replace(/-{4,}.{0,60}-{4,}|\\[nr]|\s/g, '');
      if (material.length >= 32) found.push({ pattern: id, start, end, rank: RANK[rule.kind] });
    },
  };
}

/** `asana_token = "…"`: the issuer is in the name, the form of the value decides. */
function namedMatcher(id: string, rule: NamedRule, accept: Accept): Matcher {
  const whole = new RegExp(`^(?:${rule.value})$`, rule.caseSensitive ? '' : 'i');
  return {
    keywords: rule.names,
    at({ text, found, lastValue }, start, end) {
      if (isMidWord(text, start) || runsIntoWord(text, end)) return;
      const assignment = readAssignment(text, end, lastValue);
      if (!assignment || !whole.test(assignment.value)) return;
      const to = assignment.start + assignment.value.length;
      if (!accept(text, assignment.start, to)) return;
      found.push({ pattern: id, start: assignment.start, end: to, rank: RANK[rule.kind] });
    },
  };
}

/** `etsy` in `SetSysctl`: a name that starts with a small letter after a letter is part of another word. */
function isMidWord(text: string, start: number): boolean {
  const before = text.charAt(start - 1);
  if (!/[A-Za-z]/.test(before) || ESCAPE.test(text.slice(Math.max(0, start - 3), start))) return false;
  const first = text.charAt(start);
  return /[a-z]/.test(first) || (/[A-Z]/.test(before) && /[A-Z]/.test(text.charAt(start + 1)));
}

/** `sumO` in `sumObj`: the last letter found is the first of the next word. */
function runsIntoWord(text: string, end: number): boolean {
  return /^[a-z][A-Z][a-z]$/.test(text.slice(end - 2, end + 1));
}

const STRAY = /(?:[ \t]{1,3}(?:is|was|=|:)){0,1}[ \t:'"`*]{1,4}([A-Za-z0-9+/_=-]{20,200})(?![\w/+-])/y;

/** `https://maps.test/api.js?apiKey=…`: a key in the address of a script is sent by every visitor's browser, so public. */
function isScriptParameter(text: string, nameStart: number): boolean {
  return /\.js\?(?:[\w.-]{1,40}=[^\s"'<>&]{0,100}&(?:amp;)?){0,6}[\w.-]{0,40}$/.test(
    text.slice(Math.max(0, nameStart - 400), nameStart),
  );
}

/** `AUTH_TOKEN=…` holds two keywords: the value is judged once. A password's name counts in its judgement, a token's not. */
function judge(grammar: NameGrammar, scan: Scan, kind: NamedSecret, assignment: Assignment, name: string): boolean {
  const { lastJudged: last } = scan;
  if (last && last.start === assignment.start && last.kind === kind && kind === 'secret') return last.secret;
  const secret = grammar.isSecret(kind, assignment, name);
  scan.lastJudged = { start: assignment.start, kind, secret };
  return secret;
}

/** Names that say "secret" or "password", whoever issued it. */
export function assignmentMatcher(rules: AssignmentRules): Matcher {
  const grammar = nameGrammar(rules);
  const label: Record<NamedSecret, string> = { password: 'assigned-password', secret: 'assigned-secret' };
  return {
    keywords: rules.keywords,
    at(scan, start, end) {
      const { text, found, lastValue } = scan;
      const assignment = readAssignment(text, end, lastValue);
      if (assignment && assignment.value.length >= 6) {
        const name = nameBefore(text, start) + text.slice(start, end) + assignment.tail;
        const kind = grammar.classify(name);
        if (kind !== undefined && judge(grammar, scan, kind, assignment, name) && !isScriptParameter(text, start)) {
          const to = assignment.start + assignment.value.length;
          found.push({ pattern: label[kind], start: assignment.start, end: to, rank: RANK.name });
          return;
        }
      }
      STRAY.lastIndex = end;
      const value = STRAY.exec(text)?.[1];
      if (value === undefined || !grammar.isStrayToken(value)) return;
      if (grammar.classify(nameBefore(text, start) + text.slice(start, end)) === undefined) return;
      const to = STRAY.lastIndex;
      found.push({ pattern: label.secret, start: to - value.length, end: to, rank: RANK.name });
    },
  };
}

/** Secret manifests: every value under `data:` or `stringData:`. */
export function kubernetesMatcher(): Matcher {
  return {
    keywords: ['kind:'],
    at(scan, start, end) {
      if (start < scan.manifestsTo) return;
      const manifest = secretManifest(scan.text, end);
      if (!manifest) return;
      scan.manifestsTo = manifest.end;
      for (const [from, to] of manifest.values)
        scan.found.push({ pattern: 'kubernetes-secret', start: from, end: to, rank: RANK.form });
    },
  };
}
