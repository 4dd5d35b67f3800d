/** `hook compress`: a long tool output in a few lines; the whole of it is kept, cited, and cleaned up later. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compressOutput } from '../../lib/compress/compress.js';
import type { Scrubber } from '../../lib/secrets/types.js';
import { bounded } from './context.js';
import { type HookFields, type HookInput, responseText } from './input.js';

/** Shorter outputs are left alone. */
const FROM_CHARACTERS = 2000;
/** Raw outputs are kept this long. */
const KEEP_MS = 7 * 86_400_000;
/** Our own answers carry it: an output that does is not compressed again. */
export const MARK = '[sluice compressed]';

/**
 * What takes the output's place, or undefined when the output is short, already short, or does not get shorter. Claude
 * Code puts `updatedToolOutput` in the place of the original if it has the tool's own shape (a bare string is dropped);
 * a client whose tools answer otherwise can only be told more, so it gets the short form as context.
 */
export function compressResponse(
  input: HookInput,
  scrubber: Scrubber,
  stateDir: string,
  now: number,
): HookFields | undefined {
  const raw = responseText(input.tool_response);
  if (raw.length < FROM_CHARACTERS || raw.includes(MARK)) return undefined;
  const clean = scrubber.scrub(raw).text;
  const { kind, text } = compressOutput(clean);
  if (kind === 'unchanged') return undefined;
  const file = keepRaw(clean, stateDir, now);
  const note = `${MARK} ${kind}, ${raw.length} characters in full at ${file}\n`;
  const short = bounded(`${note}${text}\n`);
  const { tool_response: response } = input;
  if (!isStreams(response)) return { additionalContext: short };
  return {
    updatedToolOutput: { ...response, stdout: short, ...('stderr' in response ? { stderr: '' } : {}) },
    additionalContext: `${note}${text.split('\n', 1)[0]}\n`,
  };
}

/** The shape of a shell tool's answer in Claude Code. */
function isStreams(response: unknown): response is { stdout: string; stderr?: unknown } {
  return (
    typeof response === 'object' && response !== null && 'stdout' in response && typeof response.stdout === 'string'
  );
}

/** Writes the scrubbed output and removes old ones. */
function keepRaw(text: string, stateDir: string, now: number): string {
  const folder = join(stateDir, 'hooks', 'outputs');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(folder)) {
    if (now - statSync(join(folder, name)).mtimeMs > KEEP_MS) rmSync(join(folder, name), { force: true });
  }
  const file = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.txt`);
  writeFileSync(file, text);
  return file;
}
