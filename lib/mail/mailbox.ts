/** Messages one by one from wherever mail lies: a file, an mbox, a Maildir, a folder of `.eml` files. */
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, PipelineError } from '../../runner/errors.js';

export interface RawMessage {
  /** Where it lies: file, and for an mbox the number of the message in it. */
  readonly place: string;
  readonly bytes: Uint8Array;
}

export interface MailboxOptions {
  /** Larger messages are reported and passed over. */
  readonly maxBytes: number;
  readonly onProblem: (place: string, reason: string) => void;
}

/**
 * Gives the messages of a place in a stable order, holding one at a time.
 * @throws {PipelineError} `mail-missing` when there is nothing at the path.
 */
export async function* messagesAt(path: string, options: MailboxOptions): AsyncGenerator<RawMessage> {
  const found = await stat(path).catch((cause: unknown) => {
    throw new PipelineError('mail-missing', `There is no mail at ${path}: ${messageOf(cause)}.`, {
      file: path,
      cause,
      remedy: 'Name a .eml or mbox file, a Maildir, or a folder of .eml files.',
    });
  });
  for (const file of found.isDirectory() ? await filesIn(path) : [path]) {
    try {
      if (await isMbox(file)) yield* mboxMessages(file, options);
      else yield* oneMessage(file, options);
    } catch (error) {
      options.onProblem(file, messageOf(error));
    }
  }
}

/** Maildir keeps messages in `new` and `cur` (`tmp` holds half-written ones); other folders hold `.eml` or mbox files. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  if (names.has('cur') && names.has('new')) {
    const found: string[] = [];
    for (const part of ['new', 'cur'])
      for (const name of await readdir(join(folder, part))) found.push(join(folder, part, name));
    return found.sort();
  }
  return entries
    .filter((entry) => entry.isFile() && /\.(?:eml|mbox|mbx|msg|txt)$|^[^.]+$/i.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort();
}

async function isMbox(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(5), 0, 5, 0);
    return buffer.toString('latin1', 0, bytesRead) === 'From ';
  } finally {
    await handle.close();
  }
}

async function* oneMessage(file: string, { maxBytes, onProblem }: MailboxOptions): AsyncGenerator<RawMessage> {
  const { size } = await stat(file);
  if (size > maxBytes) onProblem(file, `the message is larger than ${maxBytes} bytes`);
  else yield { place: file, bytes: await readFile(file) };
}

const NEWLINE = 0x0a;

/** An mbox may be gigabytes: it is read as a stream of lines and cut at `From ` after an empty line. */
async function* mboxMessages(file: string, { maxBytes, onProblem }: MailboxOptions): AsyncGenerator<RawMessage> {
  let lines: Buffer[] = [];
  let size = 0;
  let number = 0;
  let afterEmpty = true;
  const finish = function* (): Generator<RawMessage> {
    if (size > maxBytes) onProblem(`${file}#${number}`, `the message is larger than ${maxBytes} bytes`);
    else if (lines.length > 0) yield { place: `${file}#${number}`, bytes: Buffer.concat(lines) };
    lines = [];
    size = 0;
  };
  for await (const line of linesOf(createReadStream(file))) {
    const text = line.subarray(0, 6).toString('latin1');
    if (afterEmpty && text.startsWith('From ')) {
      yield* finish();
      number++;
    } else {
      size += line.length;
      // mboxrd: a quoted `From ` loses one mark.
      if (size <= maxBytes)
        lines.push(/^>+From /.test(line.subarray(0, 32).toString('latin1')) ? line.subarray(1) : line);
    }
    afterEmpty = /^\r?\n$/.test(line.subarray(0, 2).toString('latin1'));
  }
  yield* finish();
}

async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at + 1)]);
      rest = [];
      from = at + 1;
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
