/** Runs the built binary as a user would, with a state folder of its own. */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** State folder; default: a new one for this call. */
  readonly state?: string;
}

export const temporaryFolder = (name: string): string => mkdtempSync(join(tmpdir(), `sluice-${name}-`));

/** `pipeline ARGS`. Never throws for a non-zero exit. */
export function runCli(args: readonly string[], { cwd, input, env = {}, state }: CliOptions = {}): Promise<CliResult> {
  return new Promise((done, fail) => {
    const child = spawn(process.execPath, [resolve('dist/cli/main.js'), ...args], {
      ...(cwd === undefined ? {} : { cwd }),
      env: { PATH: process.env['PATH'] ?? '', HOME: tmpdir(), SLUICE_STATE: state ?? temporaryFolder('state'), ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (part: Buffer) => {
      stdout += part.toString();
    });
    child.stderr.on('data', (part: Buffer) => {
      stderr += part.toString();
    });
    child.on('error', fail);
    child.on('close', (code) => done({ code: code ?? -1, stdout, stderr }));
    child.stdin.end(input ?? '');
  });
}
