/** Small questions asked of XML elements while a vocabulary is mapped: children by name, text, markup, first of many. */
import { escapeHtml, htmlToText, sanitizeHtml } from './html.js';
import { resolveUrl } from './urls.js';
import type { XmlElement } from './xml.js';

export function isElement(node: XmlElement | string): node is XmlElement {
  return typeof node !== 'string';
}

/** Child elements that bear one of the names, in order of the names, then of the document. */
export function children(element: XmlElement, ...names: readonly string[]): XmlElement[] {
  return names.flatMap((name) => element.children.filter(isElement).filter((child) => child.name === name));
}

export function child(element: XmlElement, ...names: readonly string[]): XmlElement | undefined {
  return children(element, ...names)[0];
}

/** All text below an element, as written. */
export function rawText(element: XmlElement): string {
  return element.children.map((node) => (isElement(node) ? rawText(node) : node)).join('');
}

/** Trimmed text of an element, or undefined when it is absent or blank. */
export function textOf(element: XmlElement | undefined): string | undefined {
  return element === undefined ? undefined : rawText(element).trim() || undefined;
}

/** The first of several elements that has text: feeds repeat elements and leave the first one empty. */
export function firstText(element: XmlElement, ...names: readonly string[]): string | undefined {
  for (const one of children(element, ...names)) {
    const text = textOf(one);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The content of an element as an HTML string: child elements are written out, its text is taken to be HTML already. */
export function markupOf(element: XmlElement): string {
  if (!element.children.some(isElement)) return rawText(element);
  // Beside real elements text is text: `a &lt; b` must not become a tag.
  return element.children.map((node) => (isElement(node) ? outerHtml(node) : escapeHtml(node))).join('');
}

/** Resolved here, while the base of the very element is known. */
const LINKS = new Set(['href', 'src', 'poster', 'cite']);
const VOID = new Set(['area', 'br', 'col', 'hr', 'img', 'input', 'source', 'track', 'wbr']);

function outerHtml(element: XmlElement): string {
  const name = element.name.slice(element.name.indexOf(':') + 1);
  const attributes = Object.entries(element.attributes)
    .filter(([key]) => !key.startsWith('xml'))
    .map(([key, value]) => [key, LINKS.has(key) ? resolveUrl(value, element.base) : value] as const)
    .map(([key, value]) => ` ${key}="${escapeHtml(value).replace(/"/g, '&quot;')}"`)
    .join('');
  if (VOID.has(name)) return `<${name}${attributes}>`;
  const inner = element.children.map((node) => (isElement(node) ? outerHtml(node) : escapeHtml(node))).join('');
  return `<${name}${attributes}>${inner}</${name}>`;
}

/** An element whose text is HTML by custom (RSS): sanitised, links absolute; undefined when nothing is left. */
export function htmlOf(element: XmlElement | undefined): string | undefined {
  return element && (sanitizeHtml(markupOf(element), element.base) || undefined);
}

/** The first of several elements that holds any HTML. */
export function firstHtml(element: XmlElement, ...names: readonly string[]): string | undefined {
  for (const one of children(element, ...names)) {
    const html = htmlOf(one);
    if (html !== undefined) return html;
  }
  return undefined;
}

/** Characters of markup that a title, a name or a tag may have. */
export const MAX_TITLE = 4000;

/** Plain text of an element whose text may be HTML. */
export function titleOf(element: XmlElement | undefined): string | undefined {
  return element && (htmlToText(markupOf(element).slice(0, MAX_TITLE)) || undefined);
}

export function firstTitle(element: XmlElement, ...names: readonly string[]): string | undefined {
  for (const one of children(element, ...names)) {
    const text = titleOf(one);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** Distinct, trimmed, in order. */
export function distinct(values: readonly (string | undefined)[]): string[] {
  return [
    ...new Set(values.map((value) => value?.trim()).filter((value) => value !== undefined && value !== '')),
  ] as string[];
}
