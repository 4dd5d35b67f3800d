/** Makes secrets from the shapes of config/secrets.yaml at run time, so that none is ever written down in the project. */

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  digit: DIGITS,
  hex: `${DIGITS}abcdef`,
  low: LOWER + DIGITS,
  upnum: UPPER + DIGITS,
  alnum: LOWER + UPPER + DIGITS,
  url: `${LOWER}${UPPER}${DIGITS}-_`,
  b64: `${LOWER}${UPPER}${DIGITS}+/`,
  b32: `${UPPER}234567`,
  bech32: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
};

export interface Shaped {
  readonly text: string;
  /** The random parts of six characters and more: none of them may survive. */
  readonly parts: readonly string[];
}

/** A small seeded generator (mulberry32): the same seed gives the same secrets. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Fills `{alphabet:length}` with random characters, never the same one more than twice in a row; `\n` becomes a line end. */
export function fillShape(shape: string, random: () => number): Shaped {
  const parts: string[] = [];
  const text = shape.replaceAll('\\n', '\n').replace(/\{([a-z0-9]+):([0-9]+)\}/g, (_, name: string, count: string) => {
    const alphabet = ALPHABETS[name];
    if (alphabet === undefined) throw new RangeError(`No alphabet named "${name}".`);
    let part = '';
    while (part.length < Number(count)) {
      const next = alphabet.charAt(Math.floor(random() * alphabet.length));
      if (!part.endsWith(next + next)) part += next;
    }
    // A secret that starts or ends like punctuation would not be one in a note; real ones rarely do.
    part = part.replace(/^[-_+/]/, 'a').replace(/[-_+/]$/, 'b');
    if (!/[0-9]/.test(part) && alphabet.includes('7')) part = `${part.slice(0, -2)}7${part.slice(-1)}`;
    if (part.length >= 6) parts.push(part);
    return part;
  });
  return { text, parts };
}
