/** The shape of config/secrets.yaml: patterns as data, and how they are read. */
import { z } from 'zod';

const regexText = z.string().refine(compiles, 'is not a valid regular expression');

function compiles(source: string): boolean {
  try {
    new RegExp(source, 'd');
    return true;
  } catch {
    return false;
  }
}

const common = {
  description: z.string().describe('What the credential is, for reports.'),
  severity: z.enum(['critical', 'high', 'medium', 'low']).default('high').describe('Severity in reports.'),
  kind: z.enum(['vendor', 'form']).default('vendor').describe('Known by its issuer, or by its form alone.'),
  enabled: z.boolean().default(true).describe('Set to false to switch the pattern off.'),
  entropy: z.number().min(0).max(8).default(0).describe('Least Shannon entropy of the secret, bits a character.'),
  allow: z.array(regexText).default([]).describe('Secrets that match one of these (ignoring case) are left alone.'),
  allowSha256: z
    .array(z.string().regex(/^[0-9a-f]{16,64}$/))
    .default([])
    .describe('SHA-256 (hex, 16 digits or more) of well-known example values to leave alone.'),
};

const tokenRule = z.strictObject({
  ...common,
  keywords: z.array(z.string().min(2)).min(1).describe('The match starts at one of these; case is ignored.'),
  regex: regexText.describe(
    'Matched where the keyword starts. Group `secret` is what is replaced (default: everything); group `head`, in a look-behind, extends it to the left.',
  ),
  until: regexText.optional().describe('For blocks of several lines: how the block ends.'),
  ignoreCase: z.boolean().default(false).describe('Match the regex without regard to case.'),
  boundary: z.boolean().default(true).describe('The character before the match must not be a letter or digit.'),
  shape: z.string().optional().describe('An example with {alphabet:length} in place of random parts.'),
});

const namedRule = z.strictObject({
  ...common,
  names: z.array(z.string().min(3)).min(1).describe('Words in the name of the setting, variable or key.'),
  value: regexText.describe('The whole assigned value.'),
  caseSensitive: z.boolean().default(false).describe('Match the value with regard to case.'),
  shape: z.string().optional().describe('An example with {alphabet:length} in place of random parts.'),
});

const ruleSchema = z.union([tokenRule, namedRule]);

const words = z.array(z.string().regex(/^[a-z0-9]+$/));

const assignmentSchema = z.strictObject({
  enabled: z.boolean(),
  entropy: z.number().min(0).max(8).describe('Least entropy of a token or key; passwords have their own test.'),
  keywords: z.array(z.string().min(3)).describe('Where to look for a name: cheap, before any word is split.'),
  password: words.describe('Last words of names that hold a password.'),
  secret: words.describe('Last words of names that hold a token or secret.'),
  key: words.describe('Words that turn "key" into a secret key: api, private, signing …'),
  after: words.describe('Words that may follow without changing the meaning: value, prod, base64 …'),
  harmless: words.describe('Words that make the name harmless: public, csrf, id …'),
  placeholders: z.array(regexText).describe('Values that are no secret (ignoring case).'),
  ownPlaceholders: z.array(regexText).default([]).describe('More of them, your own; they run on RE2.'),
});

/** Schema of `secrets:`; a user's file is merged over the shipped one key by key, so patterns are a map by id. */
export const secretsSchema = z.strictObject({
  patterns: z.record(z.string().regex(/^[a-z][a-z0-9-]{1,47}$/), ruleSchema).describe('The shipped patterns by id.'),
  custom: z
    .record(z.string().regex(/^[a-z][a-z0-9-]{1,47}$/), ruleSchema)
    .default({})
    .describe('Your own patterns; they run on RE2, which has no look-around, in linear time whatever they say.'),
  assignments: assignmentSchema.describe('KEY=value, "token": "…", Password: …'),
  kubernetes: z.boolean().describe('Redact the data of Kubernetes Secret manifests.'),
  allow: z.array(regexText).default([]).describe('Secrets that match one of these are never findings.'),
});

export type SecretsConfig = z.output<typeof secretsSchema>;
export type Rule = z.output<typeof ruleSchema>;
export type TokenRule = z.output<typeof tokenRule>;
export type NamedRule = z.output<typeof namedRule>;
export type AssignmentRules = z.output<typeof assignmentSchema>;

export function isTokenRule(rule: Rule): rule is TokenRule {
  return 'regex' in rule;
}
