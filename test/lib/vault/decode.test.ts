import { expect, test } from 'vitest';
import { syncConflict } from '../../../lib/vault/conflicts.js';
import { decodeNote, looksBinary } from '../../../lib/vault/decode.js';

test.each<[string, Uint8Array, string, string]>([
  ['UTF-8 with BOM and CRLF', Buffer.from('\uFEFFa\r\nb\rc\n'), 'a\nb\nc\n', 'utf-8'],
  ['UTF-16LE', Buffer.from('\uFEFFäö\r\n', 'utf16le'), 'äö\n', 'utf-16le'],
  ['UTF-16BE', Buffer.from('\uFEFFä', 'utf16le').swap16(), 'ä', 'utf-16be'],
  ['Latin-1 bytes', Buffer.from('caf\xe9 \x93x\x94', 'latin1'), 'café “x”', 'windows-1252'],
  ['a NUL byte', Buffer.from('a\0b'), 'a\uFFFDb', 'utf-8'],
])('%s', (_, bytes, text, encoding) => {
  expect(decodeNote(bytes)).toEqual({ text, encoding });
});

test('a picture named .md is binary, a note with one NUL byte or in UTF-16 is not', () => {
  expect(looksBinary(Buffer.alloc(500))).toBe(true);
  expect(looksBinary(Buffer.from(`${'text '.repeat(100)}\0`))).toBe(false);
  expect(looksBinary(Buffer.from('\uFEFFplain words', 'utf16le'))).toBe(false);
});

test.each([
  ['d/note.sync-conflict-20240131-101010-ABC123D.md', 'd/note.md', 'Syncthing'],
  ["note (Ann's conflicted copy 2024-01-31).md", 'note.md', 'Dropbox'],
  ['note (conflicted copy 2024-01-31 101010).md', 'note.md', 'Dropbox'],
  ['note (SFConflict ann@example.org 2024-01-31-10-10-10).md', 'note.md', 'Seafile'],
])('%s is a copy of %s', (path, original, tool) => {
  expect(syncConflict(path)).toEqual({ original, tool });
});

test.each(['conflict.md', 'note 2.md', 'On conflict (politics).md', 'resolving-conflicted-copies.md'])(
  '%s is a note',
  (path) => {
    expect(syncConflict(path)).toBeUndefined();
  },
);
