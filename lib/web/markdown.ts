/** HTML to Markdown by Turndown: GFM tables, fenced code with its language, footnotes, math left alone. */
import { createRequire } from 'node:module';
import TurndownService from 'turndown';

// The plugin is CommonJS without types for ESM.
const { gfm } = createRequire(import.meta.url)('@joplin/turndown-plugin-gfm') as { gfm: TurndownService.Plugin };

const MATH = /(\$\$[\s\S]+?\$\$|\$[^\s$](?:[^$\n]*[^\s$])?\$|\\\([\s\S]+?\\\)|\\\[[\s\S]+?\\\])/;
const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*)([\w+#.-]+)/i;
const UNWANTED = [
  'script',
  'style',
  'noscript',
  'iframe',
  'object',
  'embed',
  'template',
  'button',
  'form',
  'input',
  'select',
  'textarea',
  'svg',
] as const;

/** A converter; cheap to reuse, not safe to share between threads. */
export function createMarkdownConverter(): (root: HTMLElement) => string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
    hr: '---',
  });
  service.use(gfm);
  service.remove([...UNWANTED] as TurndownService.Filter);
  const escapeText = service.escape.bind(service);
  // Odd parts of the split are formulas.
  service.escape = (text) =>
    text
      .split(MATH)
      .map((part, i) => (i % 2 === 1 ? part : escapeText(part)))
      .join('');
  service.addRule('code-with-language', {
    filter: (node) => node.nodeName === 'PRE',
    replacement: (_content, node) => fencedCode(node as HTMLElement),
  });
  service.addRule('figure-caption', {
    filter: 'figcaption',
    replacement: (content) => (content.trim() ? `\n\n*${content.trim()}*\n\n` : ''),
  });
  service.addRule('footnote-reference', {
    filter: (node) => node.nodeName === 'SUP' && footnoteNumber(node as HTMLElement) !== undefined,
    replacement: (_content, node) => `[^${footnoteNumber(node as HTMLElement)}]`,
  });
  service.addRule('footnote', {
    filter: (node) => node.nodeName === 'LI' && /^fn[:-]?\w+$/i.test((node as HTMLElement).id),
    replacement: (content, node) =>
      `[^${(node as HTMLElement).id.replace(/^fn[:-]?/i, '')}]: ${content.trim().replace(/\s*\[?↩︎?\]?(\([^)]*\))?\s*$/u, '')}\n`,
  });
  service.addRule('safe-image', {
    filter: 'img',
    replacement: (_content, node) => image(node as HTMLElement),
  });
  service.addRule('unsafe-link', {
    filter: (node) =>
      node.nodeName === 'A' &&
      /^\s*(javascript|data|vbscript):/i.test((node as HTMLElement).getAttribute('href') ?? ''),
    replacement: (content) => content,
  });
  return (root) =>
    service
      .turndown(withoutStrayCells(root))
      .replace(/\n{3,}/g, '\n\n')
      .replace(/[ \t]+$/gm, '')
      .trim();
}

/** Readability turns tables that only place things into blocks and may leave their rows behind, which no table rule expects. */
function withoutStrayCells(root: HTMLElement): HTMLElement {
  const cells = Array.from(root.querySelectorAll('caption, thead, tbody, tfoot, tr, td, th'));
  for (const cell of cells.filter((one) => one.closest('table') === null)) {
    const block = root.ownerDocument.createElement('div');
    for (const child of Array.from(cell.childNodes)) block.appendChild(child);
    cell.parentNode?.replaceChild(block, cell);
  }
  return root;
}

function fencedCode(pre: HTMLElement): string {
  const code = pre.querySelector('code');
  const text = (pre.textContent ?? '').replace(/^\n|\s+$/g, '');
  const language =
    LANGUAGE.exec(`${code?.className ?? ''} ${pre.className} ${pre.parentElement?.className ?? ''}`)?.[1] ??
    pre.getAttribute('data-lang') ??
    '';
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `\n\n${fence}${language}\n${text}\n${fence}\n\n`;
}

function footnoteNumber(sup: HTMLElement): string | undefined {
  const href = sup.querySelector('a')?.getAttribute('href') ?? '';
  return /#fn[:-]?(\w+)$/i.exec(href)?.[1];
}

function image(img: HTMLElement): string {
  const src = img.getAttribute('src') ?? '';
  // Inline data would put kilobytes of base64 into a note.
  if (src === '' || /^data:/i.test(src)) return '';
  const alt = (img.getAttribute('alt') ?? '').replace(/[\n[\]]/g, ' ').trim();
  return `![${alt}](${src.replace(/[\s()]/g, encodeURIComponent)})`;
}
