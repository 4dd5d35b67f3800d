/** Month names, zones and half-day words of many languages, for dates people write into feeds and mail. */

/** Languages whose month names are known, in the order that decides between homonyms (`listopad`: pl 11, hr 10). */
const LANGUAGES =
  'en de fr es it pt nl pl ru uk cs sv da nb fi hu el tr ro ca bg hr sk sl sr lt lv et he ar id vi eu gl is be mk hi'.split(
    ' ',
  );

/** Spellings found in the wild that no locale data has. */
const VARIANTS: Readonly<Record<string, number>> = {
  sept: 9,
  mrz: 3,
  maerz: 3,
  jänner: 1,
  feber: 2,
  mrt: 3,
  okt: 10,
  dez: 12,
  fev: 2,
  fevr: 2,
  avr: 4,
  aout: 8,
  dec: 12,
  ene: 1,
  abr: 4,
  ago: 8,
  dic: 12,
  set: 9,
  out: 10,
  gen: 1,
  mag: 5,
  giu: 6,
  lug: 7,
  ott: 10,
  ιαν: 1,
  φεβ: 2,
  μαρ: 3,
  απρ: 4,
  μαι: 5,
  ιουν: 6,
  ιον: 6,
  ιουλ: 7,
  ιολ: 7,
  αυγ: 8,
  σεπ: 9,
  οκτ: 10,
  νοε: 11,
  δεκ: 12,
};

const tables = new Map<string, ReadonlyMap<string, number>>();

/** Lower case, without accents and dots: `Févr.` and `fevr` are one word. */
function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(/[\p{M}.'’]/gu, '')
    .toLowerCase();
}

/** The month words of one language, from the runtime's locale data: inflected and standing alone, long and short. */
function monthsOf(language: string): ReadonlyMap<string, number> {
  const known = tables.get(language);
  if (known) return known;
  const table = new Map<string, number>();
  for (const month of ['long', 'short'] as const) {
    const alone = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { month, timeZone: 'UTC' });
    const dated = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, {
      month,
      day: 'numeric',
      year: 'numeric',
      timeZone: 'UTC',
    });
    for (let index = 0; index < 12; index++) {
      const at = Date.UTC(2001, index, 15);
      for (const name of [
        alone.format(at),
        dated.formatToParts(at).find((part) => part.type === 'month')?.value ?? '',
      ]) {
        const word = fold(name);
        if (word.length > 1 && !/\d/.test(word) && !table.has(word)) table.set(word, index + 1);
      }
    }
  }
  tables.set(language, table);
  return table;
}

/**
 * 1-12 for the word that names a month, or undefined. `language` (BCP 47) is asked first, then English, then the rest:
 * the locale tables of all languages take 100 ms to build, and English dates must not wait for them. Words count from
 * the last, because weekdays come first and some look like months (`mar. 5 févr. 2019` is in February).
 */
export function monthAmong(words: readonly string[], language?: string): number | undefined {
  const folded = words
    .map(fold)
    .filter((word) => word.length > 1)
    .reverse();
  const own = language?.slice(0, 2).toLowerCase();
  const first = own !== undefined && LANGUAGES.includes(own) ? [monthsOf(own)] : [];
  const usual = firstKnown(folded, [...first, monthsOf('en'), foldedVariants()]);
  if (usual !== undefined) return usual;
  const foreign = firstKnown(folded, LANGUAGES.map(monthsOf));
  if (foreign !== undefined) return foreign;
  // A longer word that starts with an English month: `Janvary`, `Decemeber`.
  const misspelt = folded.filter((word) => word.length > 4 && /^[a-z]+$/.test(word)).map((word) => word.slice(0, 3));
  return firstKnown(misspelt, [monthsOf('en')]);
}

function firstKnown(words: readonly string[], tables: readonly ReadonlyMap<string, number>[]): number | undefined {
  for (const word of words) {
    for (const table of tables) {
      const month = table.get(word);
      if (month !== undefined) return month;
    }
  }
  return undefined;
}

let variants: ReadonlyMap<string, number> | undefined;
function foldedVariants(): ReadonlyMap<string, number> {
  variants ??= new Map(Object.entries(VARIANTS).map(([word, month]) => [fold(word), month]));
  return variants;
}

// Minutes east of UTC. Where an abbreviation means several zones, the one seen most in feeds.
// biome-ignore format: a table reads better in rows
const ZONES: Readonly<Record<string, number>> = {
  z: 0, ut: 0, utc: 0, gmt: 0, wet: 0,
  est: -300, edt: -240, cst: -360, cdt: -300, mst: -420, mdt: -360, pst: -480, pdt: -420,
  et: -300, ct: -360, mt: -420, pt: -480, akst: -540, akdt: -480, hst: -600, ast: -240, adt: -180, nst: -210, ndt: -150,
  bst: 60, ist: 330, west: 60, cet: 60, met: 60, mez: 60, cest: 120, mest: 120, mesz: 120, eet: 120, eest: 180,
  msk: 180, msd: 240, trt: 180, sast: 120, cat: 120, eat: 180, wat: 60, brt: -180, art: -180, clt: -240,
  pkt: 300, npt: 345, ict: 420, wib: 420, hkt: 480, sgt: 480, pht: 480, awst: 480, jst: 540, kst: 540,
  acst: 570, acdt: 630, aest: 600, aedt: 660, nzst: 720, nzdt: 780,
};

/** Minutes east of UTC for a zone's name, or undefined when it is not one. */
export function zoneMinutes(word: string): number | undefined {
  const name = word.toLowerCase();
  return Object.hasOwn(ZONES, name) ? ZONES[name] : undefined;
}

/** Words that put a 12-hour time before or after noon. */
const HALF_DAYS: Readonly<Record<string, 'am' | 'pm'>> = {
  am: 'am',
  上午: 'am',
  午前: 'am',
  오전: 'am',
  πμ: 'am',
  pm: 'pm',
  下午: 'pm',
  午後: 'pm',
  오후: 'pm',
  μμ: 'pm',
};

export function halfDay(word: string): 'am' | 'pm' | undefined {
  const name = word.toLowerCase().replaceAll('.', '');
  return Object.hasOwn(HALF_DAYS, name) ? HALF_DAYS[name] : undefined;
}
