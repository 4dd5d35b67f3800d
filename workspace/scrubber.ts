/** Makes the scrubber of a vault: shipped patterns and the vault's own. */
import type { Scrubber } from '../lib/secrets/types.js';

/** @throws {ConfigErrors} when the vault's secrets.yaml is wrong. */
export async function openScrubber(place: {
  readonly userDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<Scrubber> {
  const { loadSecrets } = await import('../config/secrets.js');
  const { createScrubber } = await import('../lib/secrets/scrubber.js');
  return createScrubber(loadSecrets(place));
}
