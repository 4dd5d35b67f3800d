/** Reads all of standard input, up to a limit that no honest caller reaches. */
import { ConfigError } from '../runner/errors.js';

const MOST_BYTES = 20 * 1024 * 1024;

/** Text of stdin; '' on a terminal, where nobody pipes anything. */
export async function readStdin(): Promise<string> {
  if (process.stdin.isTTY) return '';
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of process.stdin as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > MOST_BYTES)
      throw new ConfigError('stdin-too-large', 'The input is larger than 20 MiB.', { remedy: 'Give a smaller piece.' });
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
