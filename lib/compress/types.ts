/** Tool output made short without losing what matters: every failing test, every diagnostic, every cause. */

export interface Compressed {
  /** What the output was recognised as, e.g. `pytest`. */
  readonly kind: string;
  readonly text: string;
}

/** One kind of output: undefined when the text is not of that kind. */
export type Recognizer = (lines: readonly string[]) => Compressed | undefined;

/** A test run in any runner's words. */
export interface TestRun {
  readonly kind: string;
  readonly passed: number | undefined;
  readonly failed: number | undefined;
  readonly skipped?: number;
  /** Name of each failing test with the lines that say why. */
  readonly failures: readonly { readonly name: string; readonly why: readonly string[] }[];
  readonly seconds?: string;
}

/** `Tests: N passed, M failed` and the failing tests, each with a few lines of cause. */
export function describeTestRun({ kind, passed, failed, skipped, failures, seconds }: TestRun): Compressed {
  const counts = [
    `${passed ?? '?'} passed`,
    `${failed ?? failures.length} failed`,
    ...(skipped ? [`${skipped} skipped`] : []),
  ];
  const head = `Tests: ${counts.join(', ')} (${kind}${seconds ? `, ${seconds}` : ''})`;
  const tail = failures.flatMap(({ name, why }) => [`FAIL ${name}`, ...why.map((line) => `  ${line}`)]);
  return { kind, text: [head, ...tail].join('\n') };
}

/** Lines of cause kept for each failure. */
export const CAUSE_LINES = 3;

export function numberIn(text: string | undefined, pattern: RegExp): number | undefined {
  const found = text === undefined ? undefined : pattern.exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}
