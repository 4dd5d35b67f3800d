/** Bytes of a note to text: byte order marks, UTF-16, stray Latin-1, CRLF and NUL bytes all come out as plain LF text. */

export interface Decoded {
  /** LF line ends, no byte order mark, NUL replaced by U+FFFD (as CommonMark demands). */
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Never throws: bytes that are not UTF-8 are read as Windows-1252, which gives every byte a meaning. */
export function decodeNote(bytes: Uint8Array): Decoded {
  const encoding = sniff(bytes);
  if (encoding !== 'utf-8') return { text: tidy(new TextDecoder(encoding).decode(bytes)), encoding };
  try {
    return { text: tidy(utf8.decode(bytes)), encoding };
  } catch {
    return { text: tidy(windows1252(bytes)), encoding: 'windows-1252' };
  }
}

/** What Windows-1252 has where Latin-1 has control characters. Node 20's own decoder reads it as plain Latin-1. */
const WINDOWS_80_9F = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

function windows1252(bytes: Uint8Array): string {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return latin1.replace(/[\x80-\x9f]/g, (c) => WINDOWS_80_9F[c.charCodeAt(0) - 0x80] ?? c);
}

function sniff(bytes: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

function tidy(text: string): string {
  const lf = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  return lf.includes('\0') ? lf.replaceAll('\0', '\uFFFD') : lf;
}

/** How many of the first 8 kB may be NUL before a file counts as binary and not as a note with a stray byte. */
const BINARY_SHARE = 0.05;

/** True for images, databases and archives that were named `.md`. */
export function looksBinary(bytes: Uint8Array): boolean {
  if (sniff(bytes) !== 'utf-8') return false;
  const head = bytes.subarray(0, 8192);
  let nul = 0;
  for (const byte of head) if (byte === 0) nul++;
  return nul > head.length * BINARY_SHARE;
}
