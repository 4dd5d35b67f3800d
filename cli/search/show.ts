/** Prints search results for people, spreadsheets, scripts and editors. */
import type { Filter } from '../../runner/items.js';
import type { ExplainedAnswer, SearchAnswer, SearchResult } from '../../workspace/search.js';

type Render = (answer: SearchAnswer, terminal: boolean) => string;

/** Formats by name; `json` is printed by the command itself. */
export const formats: Readonly<Record<string, Render>> = {
  text: (answer, terminal) =>
    `${answer.results.map((r, i) => textResult(r, i, terminal)).join('\n')}${summary(answer)}`,
  json: (answer) => JSON.stringify(answer),
  md: (answer) => answer.results.map(markdownResult).join('\n'),
  csv: csvTable,
  files: ({ results }) => lines([...new Set(results.map((result) => result.file_path))]),
};

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

const bold = (text: string, terminal: boolean): string => (terminal ? `\u001b[1m${text}\u001b[22m` : text);

function place({ file_path, section, lines }: SearchResult): string {
  return `${file_path}:${lines[0]}-${lines[1]}${section === '' ? '' : ` › ${section}`}`;
}

function textResult(result: SearchResult, i: number, terminal: boolean): string {
  const copies = result.similar ? `   also in ${result.similar.map((s) => s.file_path).join(', ')}\n` : '';
  return `${i + 1}. ${bold(result.title, terminal)}  ${result.score.toFixed(4)}\n   ${place(result)}\n   ${result.excerpt}\n${copies}`;
}

function summary({ count, good, confidence }: SearchAnswer): string {
  if (count === 0) return 'Nothing found. Try broader or other words.\n';
  return good ? '' : `\nNo good match (confidence ${confidence.toFixed(2)}); these are the nearest.\n`;
}

function markdownResult(result: SearchResult): string {
  const target = encodeURI(result.file_path);
  const heading = result.section === '' ? '' : ` › ${result.section}`;
  return `- [${result.title.replace(/[[\]]/g, '\\$&')}](<${target}>)${heading}, lines ${result.lines.join('-')}\n  > ${result.excerpt}\n`;
}

const COLUMNS = ['file_path', 'section', 'from', 'to', 'score', 'bm25_rank', 'vec_rank', 'title', 'updated', 'excerpt'];

/** RFC 4180, with CRLF. */
function csvTable({ results }: SearchAnswer): string {
  const rows = results.map((r) => [
    ...[r.file_path, r.section, r.lines[0], r.lines[1], r.score, r.bm25_rank ?? '', r.vec_rank ?? ''],
    ...[r.title, r.updated ?? '', r.excerpt],
  ]);
  return [COLUMNS, ...rows].map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

function csvCell(value: string | number): string {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Everything that decided: filter, stages with counts and times, and for each hit its ranks, scores and matched terms. */
export function explained({ answer, hits, report }: ExplainedAnswer, filter: Filter): string {
  const stages = report.stages.map(
    ({ name, in: given, out, ms }) =>
      `  ${name.padEnd(18)} ${String(given).padStart(4)} -> ${String(out).padStart(4)} ${ms.toFixed(1).padStart(8)} ms`,
  );
  const results = answer.results.map((result, i) => {
    const why = Object.entries(hits[i]?.explain ?? {}).map(
      ([key, value]) => `${key} ${typeof value === 'number' ? round(value) : value}`,
    );
    return `${textResult(result, i, false)}   ${why.join(' · ')}\n`;
  });
  const reports = Object.entries(report.reports).map(([key, value]) => `  ${key.padEnd(18)} ${JSON.stringify(value)}`);
  return [
    `Query: ${answer.query}\nFilter: ${Object.keys(filter).length === 0 ? 'none' : JSON.stringify(filter)}\n`,
    `Stages:\n${lines(stages)}`,
    `Reports:\n${lines(reports)}`,
    results.join('\n'),
    summary(answer),
  ].join('\n');
}

function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toPrecision(4);
}
