/** Reads a port number from the command line. */
import { ConfigError } from '../../runner/errors.js';

/** 0..65535; 0 takes a free one. @throws {ConfigError} */
export function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new ConfigError('port', `"${text}" is not a port.`, { remedy: 'Use a number from 0 to 65535.' });
  return port;
}
