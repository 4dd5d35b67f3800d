/** Rests that hosts asked for, kept in the ledger: a page refused for an hour is not asked for by the run in ten minutes. */
import type { HostRests } from '../lib/net/hosts.js';
import type { Ledger } from './ledger.js';
import { newSourceState } from './source-state.js';

/** `ledger` is opened when the first host is asked. */
export function hostRests(ledger: () => Promise<Pick<Ledger, 'sourceState' | 'setSourceState'>>): HostRests {
  return {
    async until(host) {
      const { pausedUntil } = (await (await ledger()).sourceState(nameOf(host))) ?? {};
      return pausedUntil === undefined ? 0 : Date.parse(pausedUntil);
    },
    async rest(host, until) {
      const name = nameOf(host);
      await (await ledger()).setSourceState({ ...newSourceState(name), pausedUntil: new Date(until).toISOString() });
    },
  };
}

/** Among the states of sources, whose names are the user's words. */
function nameOf(host: string): string {
  return `host:${host}`;
}
