/** HTML as feeds carry it: to plain text for titles, to harmless HTML with absolute links for everything longer. */
import { Parser } from 'htmlparser2';
import sanitize from 'sanitize-html';
import { memoised } from '../memo.js';
import { resolveUrl } from './urls.js';

/** Elements whose text is never prose. */
const SILENT = new Set(['script', 'style', 'textarea', 'option', 'noscript', 'template', 'title']);

/** What a `<word>` must be called to be taken for markup: `<T>` or `<vector>` in a title is text. */
const HTML_TAGS = new Set(
  (
    'a abbr acronym address applet area article aside audio b base basefont bdi bdo big blink blockquote body br button ' +
    'canvas caption center cite code col colgroup command data datalist dd del details dfn dialog dir div dl dt em embed ' +
    'fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe image img ' +
    'input ins isindex kbd keygen label legend li link main map mark marquee math menu meta meter nav nobr noframes ' +
    'noscript object ol optgroup option output p param picture pre progress q rp rt ruby s samp script section select ' +
    'small source span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time ' +
    'title tr track tt u ul var video wbr xmp'
  ).split(' '),
);

const BLOCKS = new Set('address blockquote br dd div dt figcaption h1 h2 h3 h4 h5 h6 hr li p pre td th tr'.split(' '));

/** Characters of HTML that are read; a feed may be 2 MiB, an article in it hardly ever this long. */
const MAX_HTML = 512 * 1024;
/** The parser keeps its open elements in an array it shifts: nesting costs quadratic time, so there is an end to it. */
const MAX_DEPTH = 256;
/** Fewer tags than this cannot nest deep enough to hurt. */
const MANY_TAGS = 2000;

class TooDeep extends Error {}

/** Text of HTML: tags dropped, references decoded, space folded. Things that only look like tags stay. */
export const htmlToText = memoised((html: string): string => {
  if (!/[<&]/.test(html)) return foldSpace(html);
  const input = html.slice(0, MAX_HTML);
  let text = '';
  let silent = 0;
  let depth = 0;
  const parser = new Parser({
    onopentag(name) {
      if (++depth > MAX_DEPTH) throw new TooDeep();
      if (SILENT.has(name)) silent++;
      else if (!HTML_TAGS.has(name) && silent === 0) text += input.slice(parser.startIndex, parser.endIndex + 1);
      else if (BLOCKS.has(name)) text += ' ';
    },
    onclosetag(name, implied) {
      depth--;
      if (SILENT.has(name)) silent--;
      else if (BLOCKS.has(name)) text += ' ';
      else if (!HTML_TAGS.has(name) && !implied && silent === 0)
        text += input.slice(parser.startIndex, parser.endIndex + 1);
    },
    ontext(data) {
      if (silent === 0) text += data;
    },
  });
  try {
    parser.write(input);
    parser.end();
  } catch (error) {
    // What was read up to the hostile nesting is the text.
    if (!(error instanceof TooDeep)) throw error;
  }
  return foldSpace(text);
});

function isTooDeep(html: string): boolean {
  let tags = 0;
  for (let at = html.indexOf('<'); at >= 0 && tags <= MANY_TAGS; at = html.indexOf('<', at + 1)) tags++;
  if (tags <= MANY_TAGS) return false;
  let depth = 0;
  const parser = new Parser({
    onopentagname() {
      if (++depth > MAX_DEPTH) throw new TooDeep();
    },
    onclosetag() {
      depth--;
    },
  });
  try {
    parser.write(html);
    parser.end();
    return false;
  } catch (error) {
    if (error instanceof TooDeep) return true;
    throw error;
  }
}

/** Every run of white space as one space. A single space is left alone, which most of them are. */
export function foldSpace(text: string): string {
  return text.replace(/[^\S ]\s*| \s+/g, ' ').trim();
}

/** Plain text as HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

const URL_ATTRIBUTES = ['href', 'src', 'poster', 'cite', 'longdesc'] as const;

const ALLOWED: sanitize.IOptions = {
  allowedTags: [
    ...'a abbr acronym address article aside audio b bdi bdo big blockquote br caption center cite code col colgroup'.split(
      ' ',
    ),
    ...'dd del details dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hr i img ins kbd li main'.split(
      ' ',
    ),
    ...'mark nav ol p picture pre q rp rt ruby s samp section small source span strike strong sub summary sup table'.split(
      ' ',
    ),
    ...'tbody td tfoot th thead time tr tt u ul var video wbr'.split(' '),
    ...'math menclose mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace'.split(
      ' ',
    ),
    ...'msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none semantics'.split(' '),
  ],
  allowedAttributes: {
    '*': ['id', 'lang', 'dir', 'title'],
    a: ['href', 'rel', 'name'],
    audio: ['src', 'controls'],
    blockquote: ['cite'],
    code: ['class'],
    img: ['src', 'srcset', 'alt', 'width', 'height', 'data-src', 'data-srcset'],
    ol: ['start', 'reversed', 'type'],
    pre: ['class'],
    q: ['cite'],
    source: ['src', 'srcset', 'type', 'media'],
    td: ['colspan', 'rowspan', 'align'],
    th: ['colspan', 'rowspan', 'align', 'scope'],
    time: ['datetime'],
    video: ['src', 'poster', 'controls'],
  },
  allowedSchemes: ['http', 'https', 'mailto', 'ftp', 'xmpp', 'tel'],
  nonTextTags: [...SILENT],
};

/** Harmless HTML: no scripts, styles, event handlers or `javascript:` links; every link absolute where `base` is known. */
export function sanitizeHtml(html: string, base: string | undefined): string {
  if (!/[<&]/.test(html)) return html.trim();
  const input = html.slice(0, MAX_HTML);
  if (isTooDeep(input)) return escapeHtml(htmlToText(input));
  return sanitize(input, {
    ...ALLOWED,
    ...(base === undefined
      ? {}
      : { transformTags: { '*': (tagName, attribs) => absoluteLinks(tagName, attribs, base) } }),
  }).trim();
}

function absoluteLinks(tagName: string, attribs: sanitize.Attributes, base: string): sanitize.Tag {
  const absolute: sanitize.Attributes = { ...attribs };
  for (const name of URL_ATTRIBUTES) {
    const value = absolute[name];
    if (value !== undefined) absolute[name] = resolveUrl(value, base);
  }
  return { tagName, attribs: absolute };
}
