/** Writes what came in as Markdown: a note for the vault and a page for the terminal. */

export interface ReportItem {
  readonly title: string;
  readonly source: string;
  readonly url?: string;
  /** Vault-relative path of its note. */
  readonly note?: string;
  readonly composite?: number;
}

export interface IntakeReport {
  /** ISO 8601 UTC, both ends. */
  readonly since: string;
  readonly until: string;
  /** Items first seen in that time, by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Filed items by domain, most items first; best first within. */
  readonly domains: readonly { readonly domain: string; readonly items: readonly ReportItem[] }[];
  readonly review: readonly ReportItem[];
  readonly failed: readonly { readonly what: string; readonly reason: string }[];
  /** Scheduled runs by status. */
  readonly runs: Readonly<Record<string, number>>;
}

/** Items shown for the inbox and for failures; the rest is counted. */
const SHOWN = 20;

/** Markdown; the same report gives the same bytes. */
export function digest(report: IntakeReport): string {
  const { since, until, outcomes, domains, review, failed, runs } = report;
  const count = (name: string): number => outcomes[name] ?? 0;
  const seen = Object.values(outcomes).reduce((sum, n) => sum + n, 0);
  const lines = [
    `# Intake ${since.slice(0, 10)} to ${until.slice(0, 10)}`,
    `${seen} items: ${count('written')} filed, ${count('review')} for review, ${count('skipped')} skipped, ${count('duplicate')} duplicates, ${count('failed') + count('unscored')} failed.`,
    ...domains.flatMap(({ domain, items }) => [`## ${domain} (${items.length})`, items.map(line).join('\n')]),
    ...section('For review', review.map(line)),
    ...section(
      'Failed',
      failed.map(({ what, reason }) => `- ${oneLine(what)}: ${oneLine(reason)}`),
    ),
    ...(Object.keys(runs).length === 0
      ? []
      : [
          `Scheduled runs: ${Object.entries(runs)
            .map(([status, n]) => `${n} ${status}`)
            .join(', ')}.`,
        ]),
  ];
  return `${lines.join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  const more = lines.length > SHOWN ? [`- and ${lines.length - SHOWN} more`] : [];
  return [`## ${title} (${lines.length})`, [...lines.slice(0, SHOWN), ...more].join('\n')];
}

function line({ title, source, url, note, composite }: ReportItem): string {
  const score = composite === undefined ? '' : `${composite.toFixed(2)} `;
  const name =
    oneLine(title)
      .replace(/[[\]|]/g, ' ')
      .trim() || '(no title)';
  const what = note !== undefined ? `[[${note.replace(/\.md$/, '')}|${name}]]` : url ? `[${name}](<${url}>)` : name;
  return `- ${score}${what} (${oneLine(source)})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
