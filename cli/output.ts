/**
 * The only way a command writes: results to stdout, everything else to stderr, every byte through the scrubber.
 * One boundary instead of a call in each command, so that no sink can be forgotten.
 */
import type { Writable } from 'node:stream';
import type { Scrubber } from '../lib/secrets/types.js';
import type { CommonOptions } from './command.js';

let make: () => Promise<Scrubber> = shippedScrubber;
let scrubber: Promise<Scrubber> | undefined;

/** Sets how output is scrubbed: called when a workspace opens, with the vault's own patterns. Made at the first output. */
export function setOutputScrubber(factory: () => Promise<Scrubber>): void {
  make = factory;
  scrubber = undefined;
}

/** The scrubber of the open vault; the shipped one before any is open, and when the vault's own patterns are broken. */
export function outputScrubber(): Promise<Scrubber> {
  scrubber ??= make().catch(() => shippedScrubber());
  return scrubber;
}

async function shippedScrubber(): Promise<Scrubber> {
  const { loadSecrets } = await import('../config/secrets.js');
  const { createScrubber } = await import('../lib/secrets/scrubber.js');
  return createScrubber(loadSecrets({ env: {} }));
}

async function scrubbed(text: string): Promise<string> {
  return (await outputScrubber()).scrub(text).text;
}

const guarded = new WeakSet<Writable>();

function write(stream: Writable, text: string): Promise<void> {
  if (!guarded.has(stream)) {
    guarded.add(stream);
    // The callback below reports failures; without a listener the same failure would also end the process.
    stream.on('error', () => undefined);
  }
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      // A closed pipe (`| head`) is the reader's choice, not a failure.
      if (error && (error as NodeJS.ErrnoException).code !== 'EPIPE') reject(error);
      else resolve();
    });
  });
}

/** A line on stderr whatever the options say: errors. */
export async function errorLine(text: string): Promise<void> {
  await write(process.stderr, `${await scrubbed(text)}\n`);
}

export class Output {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly wantsJson: boolean;

  constructor(options: CommonOptions) {
    this.quiet = options.quiet ?? false;
    this.verbose = options.verbose ?? false;
    this.wantsJson = options.json ?? false;
  }

  /** Whether stdout is a terminal: colour and links only there. */
  get terminal(): boolean {
    return process.stdout.isTTY === true;
  }

  /** Result text on stdout, as is. */
  async text(text: string): Promise<void> {
    await write(process.stdout, await scrubbed(text));
  }

  async line(text = ''): Promise<void> {
    await this.text(`${text}\n`);
  }

  /** One JSON value on stdout. Its strings are scrubbed one by one, so that the result is JSON whatever they hold. */
  async json(value: unknown): Promise<void> {
    const clean = (await outputScrubber()).scrubValue(value);
    await write(process.stdout, `${JSON.stringify(clean, undefined, this.terminal ? 2 : undefined)}\n`);
  }

  /** A remark on stderr; silent with --quiet. */
  async info(text: string): Promise<void> {
    if (!this.quiet) await errorLine(text);
  }

  /** A debug remark on stderr; only with --verbose. */
  async debug(text: string): Promise<void> {
    if (this.verbose) await errorLine(text);
  }
}
