/** Takes credentials out of whatever passes: before scoring, before disk, before vectors, before anyone reads it. */
import { z } from 'zod';
import { describeFindings } from '../../lib/secrets/report.js';
import type { ItemKinds, Kind } from '../../runner/items.js';
import { defineStage, drop } from '../../runner/stage.js';

export const scrub = defineStage({
  name: 'scrub',
  summary: 'Replaces credentials by [REDACTED:name] in every text of an item.',
  docs: 'Patterns stand in `config/secrets.yaml`; see `docs/secrets.md`. Line numbers stay true. A vault file whose very path holds a credential is left out of the index, because the path is its key there.',
  takes: 'any',
  gives: 'same',
  mode: 'each',
  config: z.strictObject({}),
  effects: ['none'],
  needs: ['scrubber'],
  create: () => ({
    async run(data, ctx) {
      const scrubber = await ctx.use('scrubber');
      const patterns: string[] = [];
      const clean = scrubber.scrubValue(data, (pattern) => patterns.push(pattern));
      if (patterns.length === 0) return clean;
      const said = describeFindings(labelOf(clean), patterns);
      ctx.log('info', said);
      ctx.note(said);
      if (isVaultFile(data) && isVaultFile(clean) && data.path !== clean.path) {
        ctx.notice('secret-in-path', `${clean.path} is not indexed: its path holds a credential. Rename the file.`);
        return drop('secret-in-path', clean.path);
      }
      return clean;
    },
  }),
});

const isVaultFile = (data: ItemKinds[Kind]): data is ItemKinds['VaultFile'] =>
  'path' in data && 'change' in data && 'stat' in data;

/** What a reader knows the item by. */
function labelOf(data: ItemKinds[Kind]): string {
  if ('path' in data) return data.path;
  if ('file' in data) return data.file.path;
  if ('article' in data) return data.article.title;
  if ('title' in data) return data.title;
  if ('topic' in data) return data.topic;
  return ('label' in data ? data.label : undefined) ?? 'text';
}
