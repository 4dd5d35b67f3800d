/** A progress line on a terminal for anything longer than a second; nothing in a pipe. */
import type { Observer } from '../runner/observe.js';

const FIRST_AFTER_MS = 1000;
const EVERY_MS = 100;

export interface Progress {
  readonly observer: Observer;
  /** Total number of items when it is known, for the percentage and the time left. */
  total(count: number): void;
  /** How far it is, for work that no pipeline does: a step's name, what is done of it and how much there is. */
  at(step: string, done: number, total: number): void;
  /** Removes the line. */
  done(): void;
}

/** `now` in milliseconds, so that tests can step it; `stream` is stderr. */
export function progressLine(
  label: string,
  enabled: boolean,
  stream: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const started = now();
  let last = started;
  let seen = 0;
  let expected: number | undefined;
  let drawn = false;
  let what = label;
  const active = enabled && stream.isTTY === true;
  const draw = (): void => {
    const time = now();
    if (!active || time - started < FIRST_AFTER_MS || time - last < EVERY_MS) return;
    last = time;
    drawn = true;
    stream.write(`\r\x1b[K${what} ${describeProgress(seen, expected, (time - started) / 1000)}`);
  };
  return {
    observer: {
      settled: () => {
        seen++;
        draw();
      },
      stage: draw,
    },
    total: (count) => {
      expected = count;
    },
    at: (step, done, count) => {
      what = `${label}: ${step}`;
      seen = done;
      expected = count;
      draw();
    },
    done: () => {
      if (drawn) stream.write('\r\x1b[K');
    },
  };
}

/** `1,234/5,678 (22 %), 14 s left`, or `1,234, 9 s` without a total. */
export function describeProgress(seen: number, total: number | undefined, seconds: number): string {
  const count = seen.toLocaleString('en');
  if (!total || seen === 0) return `${count}, ${Math.round(seconds)} s`;
  const left = Math.max(0, (seconds / seen) * (total - seen));
  return `${count}/${total.toLocaleString('en')} (${Math.floor((100 * seen) / total)} %), ${Math.round(left)} s left`;
}
