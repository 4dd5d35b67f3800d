/** Says what was found without saying it: a log line, a report of a vault, SARIF for code scanners. */
import type { SecretsConfig } from './rules.js';
import type { Scrubber } from './types.js';

/** `Scrubbed 2 credential(s) from oauth-debug.md [jwt, bearer-token]`. */
export function describeFindings(label: string, patterns: readonly string[]): string {
  return `Scrubbed ${patterns.length} credential(s) from ${label} [${[...new Set(patterns)].join(', ')}]`;
}

/** One place that holds a credential. `line` is 1-based, 0 for the file's name. Paths are scrubbed too. */
export interface Leak {
  readonly file: string;
  readonly line: number;
  readonly pattern: string;
}

export interface LeakReport {
  readonly notes: number;
  readonly unreadable: readonly { readonly file: string; readonly reason: string }[];
  readonly findings: readonly Leak[];
}

/** Findings of one note, those in its name first. */
export function leaksOf(path: string, text: string, scrubber: Scrubber): Leak[] {
  const name = scrubber.scrub(path);
  return [
    ...name.findings.map(({ pattern }) => ({ file: name.text, line: 0, pattern })),
    ...scrubber.scrub(text).findings.map(({ pattern, line }) => ({ file: name.text, line, pattern })),
  ];
}

const SARIF_LEVEL = { critical: 'error', high: 'error', medium: 'warning', low: 'note' } as const;

/** What built-in matchers that are no pattern of the file report as. */
const BUILT_IN: Readonly<Record<string, string>> = {
  'assigned-secret': 'A value assigned to a name that says it is secret',
  'assigned-password': 'A value assigned to a name that says it is a password',
  'kubernetes-secret': 'Data of a Kubernetes Secret manifest',
};

/** SARIF 2.1.0: one rule a pattern, one result a leak. */
export function toSarif(findings: readonly Leak[], config: SecretsConfig, version: string): unknown {
  const used = [...new Set(findings.map((f) => f.pattern))].sort();
  const rule = (id: string) => config.patterns[id] ?? config.custom[id];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'sluice scrub',
            version,
            rules: used.map((id) => ({
              id,
              shortDescription: { text: rule(id)?.description ?? BUILT_IN[id] ?? id },
              defaultConfiguration: { level: SARIF_LEVEL[rule(id)?.severity ?? 'high'] },
            })),
          },
        },
        results: findings.map(({ file, line, pattern }) => ({
          ruleId: pattern,
          message: {
            text: `${rule(pattern)?.description ?? BUILT_IN[pattern] ?? pattern}${line === 0 ? ' in the file name' : ''}.`,
          },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/') },
                region: { startLine: Math.max(1, line) },
              },
            },
          ],
        })),
      },
    ],
  };
}
