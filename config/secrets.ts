/** Loads config/secrets.yaml with the vault's own file over it, keeping apart whose pattern is whose. */
import { existsSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type Rule, type SecretsConfig, secretsSchema } from '../lib/secrets/rules.js';
import { type ConfigPlace, loadConfig, userConfigPath } from './load.js';

/**
 * The scrubber's configuration. Shipped patterns are proved linear; one whose matching the vault changes counts as the
 * vault's own and runs on RE2 like those under `custom`.
 * @throws {ConfigErrors} with file and line.
 */
export function loadSecrets(place: ConfigPlace): SecretsConfig {
  const merged = loadConfig('secrets', secretsSchema, place);
  const userFile = userConfigPath('secrets', place);
  if (userFile === undefined || !existsSync(userFile)) return merged;
  const shipped = loadConfig('secrets', secretsSchema, { env: {} });
  const patterns: Record<string, Rule> = {};
  const custom: Record<string, Rule> = { ...merged.custom };
  for (const [id, rule] of Object.entries(merged.patterns)) {
    const original = shipped.patterns[id];
    const own = original === undefined || !isDeepStrictEqual(matching(rule), matching(original));
    (own ? custom : patterns)[id] = rule;
  }
  const { placeholders, ownPlaceholders } = merged.assignments;
  const changed = !isDeepStrictEqual(placeholders, shipped.assignments.placeholders);
  const assignments = changed
    ? { ...merged.assignments, placeholders: [], ownPlaceholders: [...placeholders, ...ownPlaceholders] }
    : merged.assignments;
  return { ...merged, patterns, custom, assignments };
}

/** What decides how a rule matches: everything but whether it is on, how it is described and its entropy. */
function matching(rule: Rule): unknown {
  const { enabled: _, description: __, severity: ___, entropy: ____, allowSha256: _____, ...rest } = rule;
  return rest;
}
