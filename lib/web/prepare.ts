/** Makes a page's HTML fit for reading: lazy images resolved, counters dropped, formulas kept, every address absolute. */

const LAZY = ['data-src', 'data-original', 'data-lazy-src', 'data-hi-res-src', 'data-srcset', 'data-lazy-srcset'];
const PLACEHOLDER = /^data:|placeholder|blank\.|spacer|1x1|transparent|lazy/i;
const PIXEL =
  /\b(?:pixel|beacon|track(?:ing|er)?|stat(?:s|counter)?|analytics)\b|doubleclick|\/(?:open|px|imp)\.(?:gif|png)|feedburner\.com\/~r|\/b\/ss\//i;

/** Works on any DOM; `base` is the address of the page, when it is known. */
export function prepare(document: Document, base: string | undefined): void {
  keepFormulas(document);
  for (const img of Array.from(document.querySelectorAll('img'))) {
    resolveLazy(img);
    if (isPixel(img)) img.remove();
    else absolute(img, 'src', base);
  }
  for (const link of Array.from(document.querySelectorAll('a[href]'))) absolute(link, 'href', base);
}

/** TeX in scripts (MathJax) and annotations (KaTeX, MathML) becomes `$…$`: what renders it is dropped later. */
function keepFormulas(document: Document): void {
  for (const script of Array.from(document.querySelectorAll('script[type^="math/tex"]'))) {
    const display = script.getAttribute('type')?.includes('mode=display');
    const tex = (script.textContent ?? '').trim();
    script.replaceWith(document.createTextNode(display ? `$$${tex}$$` : `$${tex}$`));
  }
  for (const annotation of Array.from(document.querySelectorAll('annotation[encoding="application/x-tex"]'))) {
    const display = annotation.closest('.katex-display, math[display="block"]');
    const math = display ?? annotation.closest('.katex') ?? annotation.closest('math') ?? annotation;
    const tex = (annotation.textContent ?? '').trim();
    math.replaceWith(document.createTextNode(display ? `$$${tex}$$` : `$${tex}$`));
  }
}

function resolveLazy(img: Element): void {
  const src = img.getAttribute('src') ?? '';
  if (src !== '' && !PLACEHOLDER.test(src)) return;
  const lazy = LAZY.map((name) => img.getAttribute(name)).find((value) => value) ?? img.getAttribute('srcset');
  if (lazy) img.setAttribute('src', firstOf(lazy));
}

/** First address of a `srcset`. Addresses may hold commas, so a candidate ends at white space. */
function firstOf(srcset: string): string {
  return srcset.trim().split(/\s+/, 1)[0]?.replace(/,$/, '') ?? '';
}

function isPixel(img: Element): boolean {
  const size = (name: string): number => Number.parseInt(img.getAttribute(name) ?? '', 10);
  const known = [size('width'), size('height')].filter((value) => !Number.isNaN(value));
  // One tiny side alone proves nothing: pages write height="0" on pictures they scale later.
  if (known.length > 0 && known.every((value) => value <= 2)) return true;
  if (/(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|$)|display\s*:\s*none/i.test(img.getAttribute('style') ?? ''))
    return true;
  return !img.getAttribute('alt') && PIXEL.test(img.getAttribute('src') ?? '');
}

function absolute(element: Element, name: 'src' | 'href', base: string | undefined): void {
  const value = element.getAttribute(name)?.trim() ?? '';
  if (value === '' || value.startsWith('#') || value.startsWith('data:')) return;
  if (URL.canParse(value, base)) element.setAttribute(name, new URL(value, base).href);
}
