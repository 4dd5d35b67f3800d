/** The shape of a command file: light to import, heavy only when its action runs. */
import type { Command } from 'commander';

export interface CommandModule {
  /** The command's words may begin with a minus (`-draft` excludes); of the options with one, only `-h` is its own. */
  readonly minusWords?: true;
  /** Adds arguments, options, examples and the action to the prepared command. */
  configure(command: Command): void;
}

/** Options every command understands; see CLI.md. */
export interface CommonOptions {
  readonly vault?: string;
  readonly db?: string;
  readonly config?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly offline?: boolean;
}
