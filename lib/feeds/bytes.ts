/** From a feed's bytes to its text. Every label may lie; what decides is which reading of the bytes makes sense. */
import iconv from 'iconv-lite';
import { detect } from 'jschardet';

export interface DecodedText {
  readonly text: string;
  /** Lower case, as used for decoding. */
  readonly encoding: string;
  /** What was wrong with the labels or the bytes. */
  readonly repairs: readonly string[];
}

/**
 * Decodes in this order of trust: byte order mark; UTF-16/32 by its zero bytes; valid UTF-8 with any non-ASCII byte
 * in it (text in another encoding is practically never valid UTF-8, while labels are wrong daily); the HTTP charset;
 * the document's own label (the XML prolog, or what the caller found); detection. A label that cannot decode the bytes
 * is passed over.
 */
export function decodeBytes(bytes: Uint8Array, contentType?: string, own = prologEncoding(bytes)): DecodedText {
  const wide = wideEncoding(bytes);
  if (wide) return decoded(bytes, wide, []);
  const labels = [charsetOf(contentType), own].filter((label) => label !== undefined);
  const utf8 = strictUtf8(bytes);
  if (utf8 !== undefined) {
    const foreign = labels.find((label) => isSevenBit(label));
    if (bytes.every((byte) => byte < 0x80)) {
      if (foreign) return decoded(bytes, foreign, []);
      return { text: utf8, encoding: asciiName(labels), repairs: [] };
    }
    const lie = labels[0] !== undefined && !/^utf-?8$/.test(labels[0]) ? [`labelled ${labels[0]}, but is UTF-8`] : [];
    return { text: utf8, encoding: 'utf-8', repairs: lie };
  }
  for (const label of labels) {
    if (/^(utf-?8|us-ascii|ascii)$/.test(label) || !isKnown(label)) continue;
    const read = decoded(bytes, label, []);
    if (!read.text.includes('\uFFFD')) return read;
  }
  return guess(bytes, labels);
}

function decoded(bytes: Uint8Array, encoding: string, repairs: readonly string[]): DecodedText {
  return { text: decodeAs(bytes, encoding), encoding, repairs };
}

/**
 * The web's table of labels decides what a label means (`iso-8859-1` is windows-1252 there), iconv decodes: Node 20's own
 * windows-1252 leaves 0x80-0x9F as control characters.
 */
function decodeAs(bytes: Uint8Array, label: string): string {
  const name = webName(label) ?? label;
  if (!iconv.encodingExists(name)) return new TextDecoder(name).decode(bytes);
  return iconv.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), name);
}

function webName(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function isKnown(label: string): boolean {
  return webName(label) !== undefined || iconv.encodingExists(label);
}

function strictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes of no honest label: mostly UTF-8 with a few broken sequences, or the most likely other encoding. */
function guess(bytes: Uint8Array, labels: readonly string[]): DecodedText {
  const label = labels[0];
  const lenient = new TextDecoder('utf-8').decode(bytes);
  const broken = lenient.split('\uFFFD').length - 1;
  const whole = lenient.match(/[\u0080-\uFFFC]/g)?.length ?? 0;
  // One good multi-byte sequence for each broken one is already far beyond chance.
  if (whole > broken)
    return { text: lenient, encoding: 'utf-8', repairs: [`${broken} byte sequence(s) that are not UTF-8`] };
  const found = detect(Buffer.from(sample(bytes)).toString('latin1')).encoding?.toLowerCase();
  const encoding = found && found !== 'ascii' && found !== 'utf-8' && isKnown(found) ? found : 'windows-1252';
  return decoded(bytes, encoding, [
    label === undefined ? `no encoding given, read as ${encoding}` : `labelled ${label}, read as ${encoding}`,
  ]);
}

/** Up to 4 kB around the first bytes that tell encodings apart: detection costs 100 ms for each 4 kB of noise. */
function sample(bytes: Uint8Array): Uint8Array {
  const first = bytes.findIndex((byte) => byte >= 0x80);
  const from = Math.max(0, first - 64);
  return bytes.subarray(from, from + 4096);
}

/** UTF-16 and UTF-32 by mark, or by where the zero bytes of `<` fall; also the UTF-8 mark is left to the decoder. */
function wideEncoding(bytes: Uint8Array): string | undefined {
  const [a = -1, b = -1, c = -1, d = -1] = bytes;
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  if (a === 0 && b === 0) return 'utf-32be';
  if (a === 0x3c && b === 0) return c === 0 && d === 0 ? 'utf-32le' : 'utf-16le';
  if (a === 0 && b === 0x3c) return 'utf-16be';
  return undefined;
}

/** `charset` of a Content-Type header. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(contentType ?? '')?.[1]?.toLowerCase();
}

function prologEncoding(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 256)).toString('latin1');
  const label = /^[\s\u00ef\u00bb\u00bf]*<\?xml[^>]*?\bencoding\s*=\s*["']\s*([\w.:-]+)/i
    .exec(head)?.[1]
    ?.toLowerCase();
  // The prolog could be read byte by byte, so the document is not UTF-16 or UTF-32 whatever it says.
  return label !== undefined && /^(utf-?(16|32)|ucs-?[24]|iso-10646)/.test(label) ? undefined : label;
}

/** Encodings that write foreign scripts with ASCII bytes only. */
function isSevenBit(label: string): boolean {
  return /^(iso-2022-\w+|hz-gb-2312|utf-7)$/.test(label) && isKnown(label);
}

function asciiName(labels: readonly string[]): string {
  return labels.find(isKnown) ?? 'utf-8';
}
