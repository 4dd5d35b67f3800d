/** Whether index and ledger are on a server, where it is, and what is there to be read. */
import { existsSync, readFileSync } from 'node:fs';
import type { Settings } from '../config/schema.js';
import { ConfigError, messageOf, PipelineError } from '../runner/errors.js';
import type { Resources } from '../runner/resources.js';
import type { Ledger } from '../store/ledger.js';
import type { Workspace } from './workspace.js';

/** Before the name of a file that holds the URL: how container platforms hand out secrets. */
const FILE = 'file:';

/** True when the settings name a database server instead of a file of our own. */
export function isOnServer({ store }: Pick<Settings, 'store'>): boolean {
  return store !== 'sqlite';
}

/**
 * The server's URL, from the setting itself or from the file it names. It may hold a password: never print it.
 * @throws {ConfigError} when the file cannot be read.
 */
export function serverUrl({ store }: Pick<Settings, 'store'>): string {
  if (!store.startsWith(FILE)) return store;
  const file = store.slice(FILE.length);
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new ConfigError('store-url', `The file that \`store\` names cannot be read: ${messageOf(error)}.`, {
      remedy: 'Write one line into it: postgres://user:password@host/database?schema=team',
    });
  }
}

/** A reader makes nothing: before the first run there is no index to open. A server says so itself when it is asked. */
export function mayHaveIndex({ settings, dbFile }: Pick<Workspace, 'settings' | 'dbFile'>): boolean {
  return isOnServer(settings) || existsSync(dbFile);
}

/** The ledger, or undefined where nothing was ever taken in. */
export async function ledgerIfAny({
  settings,
  ledgerFile,
  resources,
}: Pick<Workspace, 'settings' | 'ledgerFile'> & { readonly resources: Pick<Resources, 'use'> }): Promise<
  Ledger | undefined
> {
  if (!isOnServer(settings)) return existsSync(ledgerFile) ? resources.use('ledger') : undefined;
  try {
    return await resources.use('ledger');
  } catch (error) {
    if (error instanceof PipelineError && error.code === 'store-missing') return undefined;
    throw error;
  }
}
