/** Fetches a package archive with the user's own npm: its registry, proxy and credentials are npm's business. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { messageOf, PipelineError } from '../../runner/errors.js';

const run = promisify(execFile);
const WINDOWS = process.platform === 'win32';
/** npm has patience of its own; this only ends what hangs. 23 MB took five minutes on a busy machine. */
const TIMEOUT_MS = 1_200_000;

/**
 * `npm pack spec` into an existing, otherwise archive-free folder; gives the archive's path.
 * Rejects with `PipelineError` `download-failed`.
 */
export async function packWithNpm(spec: string, folder: string, signal?: AbortSignal): Promise<string> {
  try {
    await run(
      WINDOWS ? 'npm.cmd' : 'npm',
      ['pack', spec, '--pack-destination', folder, '--ignore-scripts', '--silent'],
      {
        cwd: folder,
        timeout: TIMEOUT_MS,
        shell: WINDOWS,
        ...(signal ? { signal } : {}),
      },
    );
  } catch (cause) {
    signal?.throwIfAborted();
    const said = (cause as { stderr?: unknown }).stderr;
    const reason =
      typeof said === 'string' && said.trim() !== '' ? said.trim().split('\n').slice(0, 3).join(' ') : messageOf(cause);
    throw new PipelineError('download-failed', `npm could not fetch ${spec}: ${reason}`, {
      cause,
      transient: true,
      remedy: 'Check that npm works here; nothing was kept.',
    });
  }
  const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz'));
  if (archive === undefined) throw new PipelineError('download-failed', `npm gave no archive of ${spec}.`);
  return join(folder, archive);
}
