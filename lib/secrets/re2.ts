/** Regular expressions a user may write: on RE2, linear in the text whatever they say. */
import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';
import { ConfigError, messageOf } from '../../runner/errors.js';

const require = createRequire(import.meta.url);

/**
 * Compiles one; `what` names it in errors.
 * @throws {ConfigError} when it uses what RE2 lacks: look-around, back-references.
 */
export function compileLinear(source: string, what: string, ignoreCase: boolean): RE2JS {
  // Loaded when needed: 20 ms of start-up that only vaults with patterns of their own pay.
  const { RE2JS } = require('re2js') as typeof import('re2js');
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (cause) {
    throw new ConfigError('secret-pattern', `${what} is not valid for RE2: ${messageOf(cause)}`, {
      cause,
      remedy: 'RE2 has no look-around and no back-references; see docs/secrets.md.',
    });
  }
}

/** A test whether any of the expressions, ignoring case, is found in a text. */
export function anyOf(sources: readonly string[], what: string): (text: string) => boolean {
  if (sources.length === 0) return () => false;
  const regexes = sources.map((source) => compileLinear(source, what, true));
  return (text) => regexes.some((regex) => regex.matcher(text).find());
}
