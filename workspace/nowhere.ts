/** Settings and resources for commands that also work where there is no vault. */
import { join } from 'node:path';
import { type ConfigPlace, loadConfig } from '../config/load.js';
import { settingsSchema } from '../config/schema.js';
import { createResources, type Resources, systemClock } from '../runner/resources.js';
import { resourceFactories } from './resources.js';
import { stateFolder } from './state-folder.js';

/**
 * The shipped settings; files are found from `cwd`, and nothing is ever written.
 * @param model embedding model instead of the configured one; pulled models are found.
 */
export function resourcesWithoutVault(
  cwd: string,
  env: ConfigPlace['env'],
  offline: boolean,
  model?: string,
): Resources {
  const place: ConfigPlace = { env };
  const settings = loadConfig('config', settingsSchema, place);
  const nowhere = join(cwd, '.pipeline');
  return createResources(
    resourceFactories({
      places: { vaultDir: cwd, userDir: nowhere, stateDir: stateFolder(env), dbFile: nowhere, ledgerFile: nowhere },
      settings: model === undefined ? settings : { ...settings, embed: { ...settings.embed, model } },
      clock: systemClock,
      env,
      trusted: false,
      offline,
      readOnly: true,
      config: (name, schema) => loadConfig(name, schema, place),
    }),
  );
}
