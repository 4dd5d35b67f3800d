/** A user's own patterns: the same rules on RE2, so that no pattern a vault brings can stall the scrubber. */
import { ConfigError } from '../../runner/errors.js';
import { readAssignment } from './assignment.js';
import { entropy } from './entropy.js';
import type { Matcher } from './matchers.js';
import { anyOf, compileLinear } from './re2.js';
import { isTokenRule, type Rule } from './rules.js';

/** A match may be this long; RE2 sees no more of the text than that at a time. */
const MAX_MATCH = 4096;
const CUSTOM_RANK = 4;

/**
 * Compiles one of the user's patterns.
 * @throws {ConfigError} when it uses what RE2 lacks (look-around, back-references) or `until`.
 */
export function customMatcher(id: string, rule: Rule): Matcher {
  const what = `The pattern "${id}"`;
  const allowed = anyOf(rule.allow, what);
  const accept = (secret: string): boolean => entropy(secret) >= rule.entropy && !allowed(secret);
  if (!isTokenRule(rule)) {
    const value = compileLinear(rule.value, what, !rule.caseSensitive);
    return {
      keywords: rule.names,
      at({ text, found }, _start, end) {
        const assignment = readAssignment(text, end);
        if (!assignment || !value.matches(assignment.value) || !accept(assignment.value)) return;
        const to = assignment.start + assignment.value.length;
        found.push({ pattern: id, start: assignment.start, end: to, rank: CUSTOM_RANK });
      },
    };
  }
  if (rule.until !== undefined)
    throw new ConfigError('secret-pattern', `The pattern "${id}" cannot have \`until\`: blocks are built in.`, {
      remedy: 'Describe one line of the block instead.',
    });
  const regex = compileLinear(rule.regex, what, rule.ignoreCase);
  const hasSecret = 'secret' in regex.matcher('').namedGroups;
  return {
    keywords: rule.keywords,
    at({ text, found }, start) {
      if (rule.boundary && start > 0 && /[A-Za-z0-9]/.test(text.charAt(start - 1))) return;
      const match = regex.matcher(text.slice(start, start + MAX_MATCH));
      if (!match.lookingAt()) return;
      const from = start + (hasSecret ? match.start('secret') : match.start());
      const to = start + (hasSecret ? match.end('secret') : match.end());
      if (to > from && accept(text.slice(from, to)))
        found.push({ pattern: id, start: from, end: to, rank: CUSTOM_RANK });
    },
  };
}
