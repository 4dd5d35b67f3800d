/** A newsletter's HTML to the HTML of its content: no hidden preheader, no footer, no counters, no layout tables. */
import { DomUtils, parseDocument } from 'htmlparser2';
import { unwrapLink } from './links.js';

type Document = ReturnType<typeof parseDocument>;
type ChildNode = Document['children'][number];
type Element = ReturnType<typeof DomUtils.getElementsByTagName>[number];
type ParentNode = NonNullable<ChildNode['parent']>;
const { isTag, isText } = DomUtils;

export interface CleanMail {
  readonly html: string;
  /** Target of the "view in browser" link, when there is one. */
  readonly webVersion?: string;
}

const SILENT = new Set(['script', 'style', 'head', 'title', 'meta', 'link', 'noscript', 'template', 'object', 'form']);

const HIDDEN =
  /display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all|opacity\s*:\s*0(?:\.0+)?\s*(?:;|$)|(?:max-height|font-size|line-height)\s*:\s*[01](?:px|em|%)?\s*(?:;|$)/i;

/** What the last block of a newsletter says, in the languages seen in the wild. */
const FOOTER =
  /unsubscribe|opt[- ]?out|manage (?:your )?(?:email )?(?:preferences|subscription)|update (?:your )?(?:profile|preferences)|you(?:'|’)?(?:re| are| have)? (?:received|receiving|getting) this|abbestellen|abmelden|newsletter austragen|se désabonner|désinscri(?:re|ption)|désabonnement|darse de baja|cancelar (?:la )?suscripci[oó]n|disiscriv|annulla iscrizione|afmelden|uitschrijven|wypisz|zrezygnuj z subskrypcji|отписаться|退订|配信停止|購読解除/i;

const WEB_VERSION =
  /(?:view|read|open|see|display)[^.]{0,40}(?:browser|online|on the web|web version)|web ?version|im browser (?:öffnen|ansehen|anzeigen)|online ansehen|dans (?:votre|le) navigateur|version en ligne|en (?:el|tu) navegador|w przeglądarce|in je browser|nel browser/i;

/** A footer longer than this is no footer, but a message that happens to mention unsubscribing. */
const MAX_FOOTER = 1500;
const MAX_FOOTER_SHARE = 0.5;

export function cleanMailHtml(html: string): CleanMail {
  const document = parseDocument(html);
  const webVersion = findWebVersion(document);
  prune(document);
  const before = DomUtils.textContent(document).trim().length;
  dropFooter(document, before);
  flattenLayout(document);
  return { html: DomUtils.getInnerHTML(document), ...(webVersion === undefined ? {} : { webVersion }) };
}

function findWebVersion(document: Document): string | undefined {
  for (const link of DomUtils.getElementsByTagName('a', document, true)) {
    const { href } = link.attribs;
    if (href && /^https?:/i.test(href) && WEB_VERSION.test(DomUtils.textContent(link))) return unwrapLink(href);
  }
  return undefined;
}

/** Takes out what nobody sees, and unwraps links. */
function prune(parent: ParentNode): void {
  for (const node of [...parent.children]) {
    if (node.type === 'comment' || node.type === 'directive') DomUtils.removeElement(node);
    if (!isTag(node)) continue;
    if (SILENT.has(node.name) || isHidden(node) || isPixel(node)) {
      DomUtils.removeElement(node);
      continue;
    }
    const { href } = node.attribs;
    if (node.name === 'a' && href !== undefined) {
      if (WEB_VERSION.test(DomUtils.textContent(node))) {
        DomUtils.removeElement(node);
        continue;
      }
      node.attribs['href'] = unwrapLink(href);
    }
    prune(node);
  }
}

function isHidden({ attribs }: Element): boolean {
  return 'hidden' in attribs || HIDDEN.test(attribs['style'] ?? '') || /\bpre-?header\b/i.test(attribs['class'] ?? '');
}

function isPixel({ name, attribs }: Element): boolean {
  if (name !== 'img') return false;
  const tiny = (value: string | undefined): boolean => value !== undefined && Number.parseInt(value, 10) <= 2;
  return tiny(attribs['width']) || tiny(attribs['height']) || (attribs['src'] ?? '') === '';
}

/** Removes the block around the last mention of unsubscribing, and all that follows it in the same table or body. */
function dropFooter(document: Document, total: number): void {
  const marks = DomUtils.findAll(
    (node) => node.children.some((child) => isText(child) && FOOTER.test(child.data)),
    document.children,
  );
  for (const mark of marks.reverse()) {
    let block: Element | undefined;
    for (let at: ParentNode | null = mark; at !== null && isTag(at); at = at.parent) {
      const length = DomUtils.textContent(at).trim().length;
      if (length > MAX_FOOTER || length > total * MAX_FOOTER_SHARE) break;
      block = at;
    }
    if (block) DomUtils.removeElement(block);
  }
}

/** Tables that only place things become plain blocks; tables of data (with header cells) stay. */
function flattenLayout(document: Document): void {
  const tables = DomUtils.getElementsByTagName('table', document, true);
  for (const table of tables) {
    const inside = (name: string): Element[] => DomUtils.getElementsByTagName(name, table.children, true);
    const isData = table.attribs['role'] !== 'presentation' && inside('th').length > 0 && inside('table').length === 0;
    if (!isData) flatten(table);
  }
}

const TABLE_PARTS = new Set(['table', 'tbody', 'thead', 'tfoot', 'tr', 'td', 'th', 'center', 'colgroup', 'col']);

function flatten(element: Element): void {
  if (TABLE_PARTS.has(element.name)) {
    element.name = 'div';
    element.attribs = {};
  }
  for (const child of element.children) {
    if (isTag(child) && child.name !== 'table') flatten(child);
  }
}
