/** Finds what changed in the vault since it was indexed: new, changed, renamed and deleted notes, nothing else. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { INDEX_FORMAT } from '../../lib/chunk/chunk.js';
import {
  changesAt,
  decideDeletions,
  findRenames,
  type Trust,
  type VaultChanges,
  vaultChanges,
} from '../../lib/vault/changes.js';
import type { VaultFile } from '../../runner/items.js';
import { defineStage, type StageContext } from '../../runner/stage.js';
import type { ChunkStore, FileRecord } from '../../store/types.js';

type Context = StageContext<'vault' | 'store' | 'embedder' | 'scrubber' | 'classifier' | 'indexSettings'>;

/** Paths named in a notice; the rest is counted. */
const NAMED = 3;

export const scanVault = defineStage({
  name: 'scan-vault',
  summary: 'Walks the vault and gives the notes that differ from the index.',
  docs:
    'A note whose size and modification time are those of the index is not opened. A renamed note is recognised by its ' +
    'bytes and keeps its vectors. Notes are deleted from the index only when the vault could be read and most of it is ' +
    'still there; otherwise nothing is deleted and a notice says why.',
  takes: 'nothing',
  gives: 'VaultFile',
  mode: 'source',
  config: z.strictObject({
    full: z.boolean().default(false).describe('Empty the index first and build it anew.'),
    verify: z.boolean().default(false).describe('Compare the bytes of every note, not only size and time.'),
    'allow-delete': z.boolean().default(false).describe('Delete however many notes are gone.'),
    only: z.array(z.string()).default([]).describe('Look at these paths only (the watcher knows what changed).'),
  }),
  effects: ['reads', 'writes'],
  needs: ['vault', 'store', 'embedder', 'scrubber', 'classifier', 'indexSettings'],
  create: ({ full, verify, 'allow-delete': allowAll, only }) => ({
    async *run(ctx) {
      const [vault, store, settings] = await Promise.all([
        ctx.use('vault'),
        ctx.use('store'),
        ctx.use('indexSettings'),
      ]);
      const recipe = await recipeWith(ctx);
      const trust = full ? (): Trust => 'not' : trustIn(recipe, await spaceToFill(ctx, store), verify);
      const changes =
        only.length > 0
          ? await changesAt(only, vault, (path) => store.file(path), (await store.counts()).notes, trust)
          : await vaultChanges(vault, store.files(), trust);
      reportProblems(ctx, changes);
      if (full && changes.both + changes.added.size > 0) {
        // Only now: a vault that could not be listed must not cost the index it has.
        if (!ctx.dryRun) await store.clear();
        ctx.report('total', changes.added.size + changes.both);
        for (const { path, stat } of [...changes.added.values(), ...changes.changed.map(({ entry }) => entry)])
          yield give({ path, stat, change: 'new', recipe });
        return;
      }
      const renamed = await findRenames(vault, changes);
      const { deleted, unread, refused } = decideDeletions(vault, changes, renamed, {
        threshold: settings.deleteThreshold,
        allowAll,
      });
      if (unread > 0) ctx.notice('unreadable', `${unread} notes in places that cannot be read stay in the index.`);
      if (refused) ctx.notice(refused, refusal(refused, changes));
      ctx.report('total', changes.added.size + changes.changed.length + deleted.length);
      for (const [path, record] of renamed) {
        const stat = changes.added.get(path)?.stat ?? record.stat;
        yield give({ path, stat, change: 'renamed', previousPath: record.path });
        // A stale note is moved first, so that its vectors are at hand, and then read again.
        if (trust(record) === 'not') yield give({ path, stat, change: 'changed', recipe });
      }
      for (const { path, stat } of changes.added.values())
        if (!renamed.has(path)) yield give({ path, stat, change: 'new', recipe });
      for (const { entry, trust, record } of changes.changed)
        yield give({ ...entry, change: 'changed', recipe, ...(trust === 'not' ? {} : { indexedHash: record.hash }) });
      for (const { path, stat } of deleted) yield give({ path, stat, change: 'deleted' });
    },
  }),
});

function give(data: VaultFile): { id: string; data: VaultFile } {
  return { id: data.path, data };
}

/** What decides how a note's text becomes chunks: this pipeline, secret patterns, sensitivity classes, the chunker's version. */
async function recipeWith(ctx: Context): Promise<string> {
  const { fingerprint } = await ctx.use('scrubber');
  const classes = (await ctx.use('classifier')).fingerprint;
  return createHash('sha256')
    .update(`${INDEX_FORMAT} ${ctx.recipe} ${fingerprint} ${classes}`)
    .digest('hex')
    .slice(0, 16);
}

/** The vector space every note should be in; undefined when there is no model or no vector search. */
async function spaceToFill(ctx: Context, store: ChunkStore): Promise<string | undefined> {
  if (!store.capabilities.vector) return undefined;
  try {
    const { fingerprint, id } = await ctx.use('embedder');
    const active = await store.activeSpace();
    if (active && active.fingerprint !== fingerprint)
      ctx.notice(
        'model-changed',
        `The index holds vectors of ${active.model}; all notes are embedded again with ${id}.`,
      );
    return fingerprint;
  } catch {
    // The embed stage says why; scanning needs no model.
    return undefined;
  }
}

function trustIn(recipe: string, space: string | undefined, verify: boolean): (record: FileRecord) => Trust {
  return (record) => {
    const embedded = space === undefined || record.chunks === 0 || record.spaces.includes(space);
    if (record.recipe !== recipe || !embedded) return 'not';
    return verify ? 'hash' : 'stat';
  };
}

function reportProblems(ctx: Context, { problems, conflicts }: VaultChanges<FileRecord>): void {
  for (const [path, reason] of problems) ctx.notice('vault-problem', `${path} ${reason}.`);
  if (conflicts.length === 0) return;
  const more = conflicts.length - NAMED;
  const named = conflicts.slice(0, NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  ctx.notice('sync-conflicts', `Sync-conflict copies are left out: ${named}. Merge them by hand.`);
  ctx.report('sync-conflicts', conflicts);
}

function refusal(reason: 'vault-empty' | 'mass-deletion', { missing, both }: VaultChanges<FileRecord>): string {
  const what =
    reason === 'vault-empty' ? 'The vault is empty' : `${missing.length} of ${missing.length + both} notes are gone`;
  return `${what}, so nothing was deleted from the index. Is the vault mounted and synced? If they were deleted on purpose: \`pipeline index --allow-delete\`.`;
}
