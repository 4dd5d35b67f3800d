/** Repairs what mail does to characters: wrong labels, raw bytes in headers, bodies outside of any part. */
import iconv from 'iconv-lite';
import { decodeBytes } from '../feeds/bytes.js';

/** UTF-8 that was labelled as a Western encoding reads `Ã©` for `é`: when all of a text turns back, it was that. */
export function mendText(text: string): string {
  // Node's windows-1252 leaves 0x80-0x9F as control characters, which no text contains.
  const western = text.replace(/[\x80-\x9f]/g, (char) => iconv.decode(Buffer.from([char.charCodeAt(0)]), 'win1252'));
  if (!/[\u00c2-\u00f4]/.test(western)) return western;
  const bytes = iconv.encode(western, 'win1252');
  if (iconv.decode(bytes, 'win1252') !== western) return western;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return western;
  }
}

/** A header as its raw bytes say it, for senders that never heard of encoded words. */
export function rawHeader(bytes: Uint8Array, name: string): string | undefined {
  const { head } = halves(bytes);
  const text = decodeBytes(head).text.replace(/\r?\n[ \t]+/g, ' ');
  return new RegExp(`^${name}:[ \\t]*(.*)$`, 'im').exec(text)?.[1]?.trim();
}

/** The body as it stands, for a multipart message without parts. */
export function rawBody(bytes: Uint8Array): string {
  return decodeBytes(halves(bytes).body).text.trim();
}

function halves(bytes: Uint8Array): { head: Uint8Array; body: Uint8Array } {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const cuts = ['\r\n\r\n', '\n\n'].map((gap) => buffer.indexOf(gap)).filter((at) => at >= 0);
  const end = cuts.length === 0 ? buffer.length : Math.min(...cuts);
  return { head: buffer.subarray(0, end), body: buffer.subarray(end) };
}
