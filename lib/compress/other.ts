/** Everything that is not a test run: diagnostics, stack traces, diff statistics, installers, long listings, logs. */
import type { Recognizer } from './types.js';

/** Lines kept of a list, and of each end of an unknown text. */
const KEPT = 20;
const LINE = 200;

const clip = (line: string): string => (line.length > LINE ? `${line.slice(0, LINE)}…` : line);

/** `file.ts(1,2): error TS2322: …` and the pretty form; counted by code and file. */
export const typescript: Recognizer = (lines) => {
  const found = lines.flatMap((line) => {
    const match = /^(.+?)[(:](\d+)[,:](\d+)\)?(?: -|:) (error|warning) (TS\d+): (.*)$/.exec(line);
    return match ? [`${match[1]}:${match[2]} ${match[5]} ${match[6]}`] : [];
  });
  if (found.length === 0) return undefined;
  const files = new Set(found.map((f) => f.split(':')[0]));
  return {
    kind: 'tsc',
    text: [`TypeScript: ${found.length} errors in ${files.size} files`, ...shortened(found)].join('\n'),
  };
};

/** ESLint's stylish report: a path, then `line:column  error  message  rule`. */
export const eslint: Recognizer = (lines) => {
  if (!lines.some((l) => /✖ \d+ problems?/.test(l))) return undefined;
  let file = '';
  const found: string[] = [];
  for (const line of lines) {
    const match = /^\s+(\d+):(\d+)\s+(error|warning)\s+(.*?)\s{2,}(\S+)$/.exec(line);
    if (match) {
      if (match[3] === 'error') found.push(`${file}:${match[1]} ${match[4]} (${match[5]})`);
    } else if (/^\S.*\.\w+$/.test(line)) file = line.trim();
  }
  const summary = lines.find((l) => /✖ \d+ problems?/.test(l))?.trim() ?? '';
  return { kind: 'eslint', text: [summary, ...shortened(found)].join('\n') };
};

/** Python, Node, Java and Go traces: the message, the first frames of our own code, the cause. */
export const stackTrace: Recognizer = (lines) => {
  const frames = lines.filter((l) => /^\s+(at .+[:(]\d+|File ".+", line \d+)/.test(l));
  if (frames.length < 5) return undefined;
  const own = frames.filter((l) => !/node_modules|site-packages|node:internal|java\.base|\/usr\/lib\//.test(l));
  const messages = lines.filter(
    (l) => /^(\w*(Error|Exception|Panic)\b|Caused by:|Traceback|panic:)/.test(l.trim()) && !/^Traceback/.test(l.trim()),
  );
  return {
    kind: 'stack trace',
    text: [
      ...new Set(messages.map(clip)),
      ...(own.length > 0 ? own : frames).slice(0, 8).map(clip),
      `(${frames.length} frames)`,
    ].join('\n'),
  };
};

/** `git diff --stat`: the summary and the largest changes. */
export const diffStat: Recognizer = (lines) => {
  const summary = lines.findLast((l) => /^\s*\d+ files? changed/.test(l));
  if (summary === undefined) return undefined;
  const files = lines.flatMap((line) => {
    const match = /^\s*(.+?)\s+\|\s+(\d+)/.exec(line);
    return match ? [{ line: line.trim(), size: Number(match[2]) }] : [];
  });
  files.sort((a, b) => b.size - a.size);
  return { kind: 'diff stat', text: [summary.trim(), ...shortened(files.map((f) => f.line))].join('\n') };
};

/** npm, pnpm, yarn and pip: what was installed, what was warned, what failed. */
export const install: Recognizer = (lines) => {
  if (
    !lines.some((l) =>
      /^(added|removed|changed|up to date)\b.*packages?|^Successfully installed |^npm (ERR!|error|warn)|^Collecting \S+/i.test(
        l,
      ),
    )
  )
    return undefined;
  const kept = lines.filter((l) =>
    /^(added|removed|changed|up to date|Successfully installed|npm (ERR!|error)|ERROR)|vulnerabilit|deprecated/i.test(
      l,
    ),
  );
  return { kind: 'install', text: shortened([...new Set(kept.map(clip))]).join('\n') };
};

/** Anything long: both ends, and every line that speaks of trouble. */
export function generic(lines: readonly string[]): { kind: string; text: string } {
  const listing =
    lines.filter((l) => /^(\S*\/\S+|[-dl][rwx-]{9}\s.*|\S+\.\w{1,6})$/.test(l)).length > lines.length * 0.7;
  const troubled = lines
    .slice(KEPT, -KEPT)
    .filter((l) => /\b(error|fail(ed|ure)?|exception|fatal|denied|timed? ?out|warning)\b/i.test(l));
  const middle = lines.length - 2 * KEPT;
  const text =
    middle <= 0
      ? lines
      : [
          ...lines.slice(0, KEPT),
          `… ${middle} lines left out …`,
          ...shortened([...new Set(troubled)]),
          ...lines.slice(-KEPT),
        ];
  return { kind: listing ? 'listing' : 'log', text: text.map(clip).join('\n') };
}

function shortened(list: readonly string[]): string[] {
  const shown = list.slice(0, KEPT).map(clip);
  return list.length > KEPT ? [...shown, `… and ${list.length - KEPT} more`] : shown;
}
