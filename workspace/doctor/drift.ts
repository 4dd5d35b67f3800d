/** Whether the index, wherever it is, holds what the vault and the settings say. */
import { messageOf } from '../../runner/errors.js';
import type { ChunkStore } from '../../store/types.js';
import { pendingChanges } from '../index-status.js';
import type { Workspace } from '../workspace.js';
import { bad, fine, remedyOf } from './checks.js';
import { type Repairable, reindex } from './repair.js';

export async function checkDrift(workspace: Workspace, store: ChunkStore): Promise<Repairable[]> {
  const pending = await pendingChanges(workspace, store);
  const total = pending.new + pending.changed + pending.deleted;
  const space = await store.activeSpace();
  const wanted = await workspace.resources.use('embedder').catch(() => undefined);
  return [
    total === 0
      ? fine('drift')
      : {
          ...bad(
            'drift',
            `${pending.new} new, ${pending.changed} changed, ${pending.deleted} deleted notes wait.`,
            'The vault changed since the last run.',
            'Run `pipeline index`, or keep `pipeline watch` running.',
          ),
          repair: reindex,
        },
    !wanted || !space || wanted.fingerprint === space.fingerprint
      ? fine('model-match')
      : {
          ...bad(
            'model-match',
            `The index holds vectors of ${space.model}, the settings say ${wanted.id}.`,
            'The model was changed.',
            'Run `pipeline index`: the notes are embedded again.',
          ),
          repair: reindex,
        },
  ];
}

/** When they cannot be compared. */
export function incomparable(error: unknown): Repairable {
  return bad('drift', messageOf(error), 'The vault or the index cannot be compared.', remedyOf(error));
}
