/** Test runners: pytest, Jest and Vitest, Go, cargo, and JUnit-style reports of Maven and Gradle. */
import { CAUSE_LINES, describeTestRun, numberIn, type Recognizer } from './types.js';

const cut = (lines: readonly string[]): string[] =>
  lines
    .map((l) => l.trimEnd().slice(0, 200))
    .filter((l) => l.trim() !== '')
    .slice(0, CAUSE_LINES);

/** `===== 3 failed, 197 passed in 1.2s =====`; failures from `FAILED path::test - why`, causes from the `E ` lines. */
export const pytest: Recognizer = (lines) => {
  const summary = lines.findLast((l) => /^=+ .*\b\d+ (passed|failed|error).* in [\d.]+s/.test(l));
  if (summary === undefined) return undefined;
  const causes = new Map<string, string[]>();
  let current = '';
  for (const line of lines) {
    const heading = /^_{3,} (?:ERROR at \w+ of )?([^_].*?) _{3,}$/.exec(line)?.[1];
    if (heading) current = heading;
    const cause = /^E {2,}(.*)/.exec(line)?.[1];
    if (cause && current) causes.set(current, [...(causes.get(current) ?? []), cause]);
  }
  const named = lines.flatMap((line) => {
    const match = /^(FAILED|ERROR) (\S+)(?: - (.*))?$/.exec(line);
    return match?.[2] ? [{ id: match[2], why: match[3] }] : [];
  });
  const failures =
    named.length > 0
      ? named.map(({ id, why }) => ({
          name: id,
          why: cut(causes.get(id.split('::').slice(1).join('.')) ?? (why ? [why] : [])),
        }))
      : [...causes].map(([name, why]) => ({ name, why: cut(why) }));
  const skipped = numberIn(summary, /(\d+) skipped/);
  const seconds = /in ([\d.]+s)/.exec(summary)?.[1];
  return describeTestRun({
    kind: 'pytest',
    passed: numberIn(summary, /(\d+) passed/) ?? 0,
    failed: (numberIn(summary, /(\d+) failed/) ?? 0) + (numberIn(summary, /(\d+) errors?/) ?? 0),
    failures,
    ...(skipped === undefined ? {} : { skipped }),
    ...(seconds === undefined ? {} : { seconds }),
  });
};

/** Jest (`Tests: 2 failed, 10 passed, 12 total`, `● suite › test`) and Vitest (`Tests  2 failed | 10 passed`, ` FAIL  file > test`). */
export const jest: Recognizer = (lines) => {
  const summary = lines.findLast((l) => /^\s*Tests:?\s+.*\b\d+ (passed|failed)/.test(l));
  if (summary === undefined) return undefined;
  const failures: { name: string; why: string[] }[] = [];
  let open: { name: string; why: string[] } | undefined;
  for (const line of lines) {
    const name = /^\s*● (.+)$/.exec(line)?.[1] ?? /^\s*(?:❯\s*)?FAIL\s+(\S+ > .+)$/.exec(line)?.[1];
    if (name) {
      if (failures.some((f) => f.name === name.trim())) {
        open = undefined;
        continue;
      }
      open = { name: name.trim(), why: [] };
      failures.push(open);
    } else if (open && open.why.length < CAUSE_LINES && /\S/.test(line) && !/^\s*(at |❯ |\d+\s*\|)/.test(line))
      open.why.push(line.trim().slice(0, 200));
  }
  const skipped = numberIn(summary, /(\d+) (?:skipped|todo)/);
  const seconds = lines.map((l) => /^\s*(?:Time|Duration):?\s+([\d.]+ ?m?s)/.exec(l)?.[1]).find((s) => s);
  return describeTestRun({
    kind: /\|/.test(summary) ? 'vitest' : 'jest',
    passed: numberIn(summary, /(\d+) passed/) ?? 0,
    failed: numberIn(summary, /(\d+) failed/) ?? 0,
    failures,
    ...(skipped === undefined ? {} : { skipped }),
    ...(seconds === undefined ? {} : { seconds }),
  });
};

/** `--- FAIL: TestX (0.01s)` with indented output; `ok`/`FAIL` lines of packages. */
export const goTest: Recognizer = (lines) => {
  if (
    !lines.some((l) => /^(ok|FAIL)\s+\S+\s+(\(cached\)|[\d.]+s)/.test(l)) &&
    !lines.some((l) => /^\s*--- (PASS|FAIL): /.test(l))
  )
    return undefined;
  const failures: { name: string; why: string[] }[] = [];
  let open: { name: string; why: string[] } | undefined;
  for (const line of lines) {
    const name = /^\s*--- FAIL: (\S+)/.exec(line)?.[1];
    if (name) {
      open = { name, why: [] };
      failures.push(open);
    } else if (/^(\s*--- |===|ok\s|FAIL|PASS)/.test(line)) open = undefined;
    else if (open && open.why.length < CAUSE_LINES && /^\s+\S/.test(line)) open.why.push(line.trim().slice(0, 200));
  }
  const count = (pattern: RegExp): number => lines.filter((l) => pattern.test(l)).length;
  const passedTests = count(/^\s*--- PASS: /);
  const packages = count(/^ok\s+\S+/);
  const run = describeTestRun({
    kind: 'go test',
    passed: passedTests > 0 ? passedTests : undefined,
    failed: failures.length,
    failures,
  });
  return { ...run, text: `${run.text}\nPackages: ${packages} ok, ${count(/^FAIL\s+\S+\s/)} failed` };
};

/** `test result: FAILED. 10 passed; 1 failed; …`, `---- name stdout ----` with the panic. */
export const cargoTest: Recognizer = (lines) => {
  const results = lines.filter((l) => /^test result: /.test(l));
  if (results.length === 0) return undefined;
  const failures: { name: string; why: string[] }[] = [];
  let open: { name: string; why: string[] } | undefined;
  for (const line of lines) {
    const name = /^---- (\S+) stdout ----$/.exec(line)?.[1];
    if (name) {
      open = { name, why: [] };
      failures.push(open);
    } else if (/^(failures:|test result:)/.test(line)) open = undefined;
    else if (open && open.why.length < CAUSE_LINES && /\S/.test(line) && !/^note: /.test(line))
      open.why.push(line.trim().slice(0, 200));
  }
  const sum = (pattern: RegExp): number => results.reduce((total, line) => total + (numberIn(line, pattern) ?? 0), 0);
  return describeTestRun({
    kind: 'cargo test',
    passed: sum(/(\d+) passed/),
    failed: sum(/(\d+) failed/),
    failures,
    skipped: sum(/(\d+) ignored/),
  });
};

/** `Tests run: 12, Failures: 1, Errors: 0, Skipped: 2`, `[ERROR]   Class.method:12 message`. */
export const junit: Recognizer = (lines) => {
  const summary = lines.findLast((l) => /Tests run: \d+, Failures: \d+, Errors: \d+/.test(l));
  if (summary === undefined) return undefined;
  const failed = (numberIn(summary, /Failures: (\d+)/) ?? 0) + (numberIn(summary, /Errors: (\d+)/) ?? 0);
  const skipped = numberIn(summary, /Skipped: (\d+)/) ?? 0;
  const seen = new Set<string>();
  const failures = lines.flatMap((line) => {
    const match = /^\[ERROR\]\s+([\w.$]+[.#]\w+(?::\d+)?)\s*(.*)$/.exec(line);
    if (!match?.[1] || seen.has(match[1])) return [];
    seen.add(match[1]);
    return [{ name: match[1], why: cut([match[2] ?? '']) }];
  });
  return describeTestRun({
    kind: 'junit',
    passed: (numberIn(summary, /Tests run: (\d+)/) ?? 0) - failed - skipped,
    failed,
    failures,
    skipped,
  });
};
