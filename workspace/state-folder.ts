/** Where this program keeps what belongs to no vault's folder: indexes, ledgers, pulled models, trust. */
import envPaths from 'env-paths';

/** SLUICE_STATE, or the platform's place for application data. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  return env['SLUICE_STATE'] ?? envPaths('sluice', { suffix: '' }).data;
}
