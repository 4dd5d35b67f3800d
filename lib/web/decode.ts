/** A page's bytes to text: like a feed's, but HTML names its encoding in a `<meta>`. */
import { decodeBytes } from '../feeds/bytes.js';

/** Where a `<meta charset>` may stand; the standard says 1,024 bytes, pages in the wild put it later. */
const HEAD = 4096;

/** Decodes by byte order mark, valid UTF-8, HTTP charset, `<meta>`, detection, in this order of trust. */
export function decodePage(bytes: Uint8Array, contentType: string | undefined): string {
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString('latin1');
  const meta = /<meta[^>]+charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(head)?.[1];
  // XHTML may say it in a prolog instead.
  return decodeBytes(bytes, contentType, meta?.toLowerCase()).text;
}
