/** Reads the training pairs: gzipped JSON lines of {title, text}. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface Pair {
  readonly title: string;
  readonly text: string;
}

/** All pairs of the given files, in file order. */
export function readPairs(files: readonly string[]): Pair[] {
  return files.flatMap((file) =>
    gunzipSync(readFileSync(file))
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const { title, text } = JSON.parse(line) as Pair;
        return { title, text };
      }),
  );
}
