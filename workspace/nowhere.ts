/** Settings and resources for commands that also work where there is no vault. */
import { join } from 'node:path';
import { type ConfigPlace, loadConfig } from '../config/load.js';
import { settingsSchema } from '../config/schema.js';
import { createResources, type Resources, systemClock } from '../runner/resources.js';
import { resourceFactories } from './resources.js';

/** The shipped settings; files are found from `cwd`, and nothing is ever written. */
export function resourcesWithoutVault(cwd: string, env: ConfigPlace['env'], offline: boolean): Resources {
  const place: ConfigPlace = { env };
  const nowhere = join(cwd, '.pipeline');
  return createResources(
    resourceFactories({
      places: { vaultDir: cwd, userDir: nowhere, stateDir: nowhere, dbFile: nowhere, ledgerFile: nowhere },
      settings: loadConfig('config', settingsSchema, place),
      clock: systemClock,
      env,
      trusted: false,
      offline,
      readOnly: true,
      config: (name, schema) => loadConfig(name, schema, place),
    }),
  );
}
