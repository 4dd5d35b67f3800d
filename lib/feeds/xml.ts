/**
 * Reads XML that may be broken into a small tree with namespaces, bases and languages settled. A feed is read for its
 * items, so damage is repaired where it stands and remembered, and only a document without elements is hopeless.
 */
import { decodeHTMLStrict } from 'entities';
import { Parser } from 'htmlparser2';
import { canonicalPrefix } from './namespaces.js';
import { resolveUrl } from './urls.js';

export interface XmlElement {
  /** Lower case; `prefix:local` with the usual prefix of its namespace, or bare for RSS and unknown vocabularies. */
  readonly name: string;
  /** Lower-case names as written. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
  /** Base URL in force here, from xml:base. */
  readonly base: string | undefined;
  /** True when `base` was declared in the document, not merely where it came from. */
  readonly baseDeclared: boolean;
  /** xml:lang in force here. */
  readonly language: string | undefined;
}

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
  readonly scope: ReadonlyMap<string, string>;
}

export interface XmlDocument {
  /** Top-level elements; a sound document has one. */
  readonly roots: readonly XmlElement[];
  /** One short line a kind of damage. */
  readonly repairs: readonly string[];
}

/** Far deeper than any feed; keeps hostile nesting from costing quadratic time in the parser's stack. */
const MAX_DEPTH = 256;
const MAX_UNCLOSED = 2000;
/** An item cannot hold an item: an unclosed one ends where the next begins. */
const ITEM_NAMES = new Set(['item', 'entry', 'atom:entry']);

class TooDeep extends Error {}

/** Never throws. `base` is where the document came from. */
export function parseXml(source: string, base?: string): XmlDocument {
  const repairs = new Set<string>();
  const { text, entities } = prepare(source, repairs);
  const roots: XmlElement[] = [];
  const open: OpenElement[] = [];
  let inCdata = false;
  let unclosed = 0;
  let ended = false;

  const close = () => {
    const done = open.pop();
    if (!done) return;
    const parent = open.at(-1);
    if (parent) parent.children.push(done);
    else roots.push(done);
  };

  const parser = new Parser(
    {
      onopentag(name, rawAttributes) {
        if (open.length >= MAX_DEPTH) throw new TooDeep();
        let parent = open.at(-1);
        const attributes: Record<string, string> = {};
        for (const [key, value] of Object.entries(rawAttributes))
          attributes[key.toLowerCase()] = decodeText(value, entities, repairs);
        const scope = declaredNamespaces(attributes, parent?.scope);
        const canonical = canonicalName(name, scope);
        if (ITEM_NAMES.has(canonical) && parent && open.some((one) => one.name === canonical) && !insideMarkup(open)) {
          repairs.add(`<${name}> inside an unclosed <${name}>`);
          // The parser still counts them as open, and its stack costs quadratic time.
          if (++unclosed > MAX_UNCLOSED) throw new TooDeep();
          while (open.some((one) => one.name === canonical)) close();
          parent = open.at(-1);
        }
        const ownBase = attributes['xml:base'];
        open.push({
          name: canonical,
          attributes,
          children: [],
          scope,
          base:
            ownBase === undefined ? (parent ? parent.base : base) : resolveUrl(ownBase, parent ? parent.base : base),
          baseDeclared: ownBase !== undefined || (parent?.baseDeclared ?? false),
          language: attributes['xml:lang'] ?? parent?.language,
        });
      },
      ontext(data) {
        const parent = open.at(-1);
        // What ends with the document is not whole; see `dropCutOff`.
        if (ended && parent && IDENTIFIERS.has(parent.name)) return;
        if (parent) parent.children.push(inCdata ? data : decodeText(data, entities, repairs));
        else if (data.trim() !== '') repairs.add('text outside the root element');
      },
      oncdatastart() {
        inCdata = true;
      },
      oncdataend() {
        inCdata = false;
      },
      onclosetag(name, implied) {
        // An element closed early, by a nested item, may still get its own end tag.
        const canonical = canonicalName(name, open.at(-1)?.scope ?? new Map());
        if (open.at(-1)?.name !== canonical) return;
        // The parser also calls the end of `<a/>` implied.
        if (implied && text[parser.endIndex - 1] !== '/') repairs.add('an end tag is missing');
        close();
      },
    },
    { xmlMode: true, decodeEntities: false },
  );
  try {
    parser.write(text);
    // What is still open now was never closed; the parser closes it while ending.
    if (open.length > 0) {
      repairs.add('the end of the document is missing');
      dropCutOff(open);
    }
    ended = true;
    parser.end();
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    repairs.add('nested too deep; the rest is left out');
  }
  while (open.length > 0) close();
  return { roots, repairs: [...repairs] };
}

const IDENTIFIERS = new Set(['guid', 'link', 'id', 'atom:id', 'atom:link']);

/**
 * The element a document was cut off in is not whole: half an address would make another item of it. An item that has
 * no identifier yet would be a new one again when it comes whole.
 */
function dropCutOff(open: OpenElement[]): void {
  const item = open.findIndex(({ name }) => ITEM_NAMES.has(name));
  if (item < 0) return;
  const innermost = open.at(-1);
  if (innermost && IDENTIFIERS.has(innermost.name)) innermost.children.length = 0;
  const holder = open[item];
  const identified = holder?.children.some((child) => typeof child !== 'string' && IDENTIFIERS.has(child.name));
  if (!identified && !holder?.attributes['rdf:about']) open.splice(item);
}

/** Markup inside a text construct may use our item names for itself. */
function insideMarkup(open: readonly OpenElement[]): boolean {
  return open.some((one) => one.name === 'atom:content' || one.name === 'atom:summary' || one.name === 'content');
}

function declaredNamespaces(
  attributes: Readonly<Record<string, string>>,
  outer: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> {
  let scope: Map<string, string> | undefined;
  for (const [key, value] of Object.entries(attributes)) {
    if (key !== 'xmlns' && !key.startsWith('xmlns:')) continue;
    scope ??= new Map(outer);
    scope.set(key === 'xmlns' ? '' : key.slice('xmlns:'.length), value.trim());
  }
  return scope ?? outer ?? new Map();
}

function canonicalName(name: string, scope: ReadonlyMap<string, string>): string {
  const colon = name.indexOf(':');
  const prefix = colon < 0 ? '' : name.slice(0, colon).toLowerCase();
  const local = name.slice(colon + 1).toLowerCase();
  const canonical = canonicalPrefix(prefix, scope.get(prefix));
  return canonical === '' ? local : `${canonical}:${local}`;
}

/** Drops what may not stand in XML at all and takes the document type's entities out of the way. */
function prepare(source: string, repairs: Set<string>): { text: string; entities: ReadonlyMap<string, string> } {
  let text = source.replace(/^\uFEFF/, '');
  const clean = text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, '');
  if (clean.length !== text.length) repairs.add('control characters');
  text = clean;
  const entities = new Map<string, string>();
  const begin = doctypeStart(text);
  if (begin !== undefined) {
    const end = doctypeEnd(text, begin);
    const declarations = text
      .slice(begin, end)
      .matchAll(/<!ENTITY\s+([\w.-]+)\s+(?:"([^"]{0,1000})"|'([^']{0,1000})')\s*>/g);
    for (const [, name = '', double, single] of declarations) {
      // An entity made of entities is how a kilobyte becomes a gigabyte: only character references are followed.
      const value = double ?? single ?? '';
      entities.set(
        name,
        value.replace(/&#(?:x[\da-f]+|\d+);/gi, (reference) => decodeHTMLStrict(reference)),
      );
    }
    text = text.slice(0, begin) + text.slice(end);
  }
  return { text, entities };
}

/** Where a document type begins, if one stands before the root: an article about doctypes has one in its text. */
function doctypeStart(text: string): number | undefined {
  let at = 0;
  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++;
    if (/^<!DOCTYPE\b/i.test(text.slice(at, at + 10))) return at;
    const ender = text.startsWith('<?', at) ? '?>' : text.startsWith('<!--', at) ? '-->' : undefined;
    const end = ender === undefined ? -1 : text.indexOf(ender, at);
    if (ender === undefined || end < 0) return undefined;
    at = end + ender.length;
  }
}

/** Index behind the `>` that ends a document type, internal subset included. */
function doctypeEnd(text: string, from: number): number {
  let quote = '';
  let inSubset = false;
  const limit = Math.min(text.length, from + 65_536);
  for (let at = from; at < limit; at++) {
    const char = text[at] ?? '';
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '[') inSubset = true;
    else if (char === ']') inSubset = false;
    else if (char === '>' && !inSubset) return at + 1;
  }
  const first = text.indexOf('>', from);
  return first < 0 ? text.length : first + 1;
}

const REFERENCE = /&(?:#x[\da-f]+;?|#\d+;?|([a-z][\w.-]*);)/gi;
const BARE_AMPERSAND = /&(?!#x[\da-f]|#\d|[a-z][\w.-]*;)/i;
const XML_ENTITIES = new Set(['amp', 'lt', 'gt', 'quot', 'apos']);

/** Resolves references: XML's, the document's own, then HTML's (undeclared, so damage); a bare `&` stays one. */
function decodeText(text: string, entities: ReadonlyMap<string, string>, repairs: Set<string>): string {
  if (!text.includes('&')) return text;
  if (BARE_AMPERSAND.test(text)) repairs.add('bare ampersands');
  return text.replace(REFERENCE, (whole, name: string | undefined) => {
    if (name === undefined) return decodeHTMLStrict(whole.endsWith(';') ? whole : `${whole};`);
    const own = entities.get(name);
    if (own !== undefined) return own;
    const plain = decodeHTMLStrict(whole);
    if (!XML_ENTITIES.has(name)) repairs.add('undeclared entities');
    return plain;
  });
}
