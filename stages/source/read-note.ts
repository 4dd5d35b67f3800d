/** Reads a note that differs from the index, and lets one go that was only touched. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { decodeNote, looksBinary } from '../../lib/vault/decode.js';
import { PipelineError } from '../../runner/errors.js';
import type { VaultFile } from '../../runner/items.js';
import { defineStage, drop } from '../../runner/stage.js';

export const readNote = defineStage({
  name: 'read-note',
  summary: 'Reads and decodes a note; one with the same bytes as before is only marked as touched.',
  docs:
    'UTF-8 with or without byte order mark, UTF-16 and, for bytes that are neither, Windows-1252. Line ends become LF, ' +
    'text becomes NFC. Binary and oversized files go on without text: they are listed, and never read again until they change.',
  takes: 'VaultFile',
  gives: 'VaultFile',
  mode: 'each',
  config: z.strictObject({}),
  effects: ['reads'],
  needs: ['vault', 'indexSettings'],
  create: () => ({
    async run(file, ctx) {
      if (file.change === 'deleted' || file.change === 'renamed') return file;
      const { maxNoteBytes } = await ctx.use('indexSettings');
      if (file.stat.size > maxNoteBytes) {
        ctx.notice('note-too-large', `${file.path} is larger than index.maxNoteBytes and is not searched.`);
        return { ...file, text: '', hash: '' };
      }
      const vault = await ctx.use('vault');
      let bytes: Uint8Array;
      try {
        bytes = await vault.read(file.path);
      } catch (error) {
        // Deleted since the scan: the next run takes it out of the index.
        if (error instanceof PipelineError && error.code === 'not-found') return drop('vanished');
        throw error;
      }
      return withText(file, bytes, (message) => ctx.log('warn', message));
    },
  }),
});

function withText(file: VaultFile, bytes: Uint8Array, warn: (message: string) => void): VaultFile {
  const hash = createHash('sha256').update(bytes).digest('hex');
  if (hash === file.indexedHash) return { ...file, change: 'touched', hash };
  if (looksBinary(bytes)) {
    warn(`${file.path} is not text and is not searched.`);
    return { ...file, text: '', hash };
  }
  const { text, encoding } = decodeNote(bytes);
  if (encoding === 'windows-1252') warn(`${file.path} is not UTF-8; it was read as Windows-1252.`);
  return { ...file, text: text.normalize('NFC'), hash };
}
