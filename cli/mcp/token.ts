/** The bearer token of an HTTP server: from a file, as container platforms hand out secrets, a variable, or an option. */
import { readFileSync } from 'node:fs';
import { ConfigError, messageOf } from '../../runner/errors.js';

export interface TokenFlags {
  readonly token?: string;
  readonly tokenFile?: string;
}

/**
 * @throws {ConfigError} `token-file` when the file cannot be read or is empty: a server meant to be closed never starts open.
 */
export function tokenOf(
  { token, tokenFile }: TokenFlags,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (token !== undefined) return token;
  if (tokenFile === undefined) return env['SLUICE_TOKEN'] || undefined;
  let text: string;
  try {
    text = readFileSync(tokenFile, 'utf8').trim();
  } catch (error) {
    throw new ConfigError('token-file', `The file of the token cannot be read: ${messageOf(error)}.`, {
      remedy: 'Write a long random line into it, e.g. with `openssl rand -hex 32`.',
    });
  }
  if (text !== '') return text;
  throw new ConfigError('token-file', `The file of the token is empty: ${tokenFile}.`, {
    remedy: 'Write a long random line into it, e.g. with `openssl rand -hex 32`.',
  });
}
