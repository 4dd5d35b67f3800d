/**
 * The only way a command writes: results to stdout, everything else to stderr, every byte through the scrubber.
 * One boundary instead of a call in each command, so that no sink can be forgotten.
 */
import type { Writable } from 'node:stream';
import type { CommonOptions } from './command.js';

type Scrub = (text: string) => string;

let scrub: Promise<Scrub> | undefined;

/** Sets how output is scrubbed; called when a workspace opens, with the vault's own patterns. */
export function setOutputScrubber(make: () => Promise<Scrub>): void {
  scrub = make();
  scrub.catch(() => undefined);
}

async function scrubbed(text: string): Promise<string> {
  return scrub ? (await scrub)(text) : text;
}

function write(stream: Writable, text: string): Promise<void> {
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

  /** One JSON value on stdout. */
  async json(value: unknown): Promise<void> {
    await this.text(`${JSON.stringify(value, undefined, this.terminal ? 2 : undefined)}\n`);
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
