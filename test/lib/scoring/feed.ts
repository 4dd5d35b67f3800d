/** The scoring fixtures as a feed on disk: what an intake run in a test reads. */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { packagePath } from '../../../lib/package-root.js';

export interface FixtureItem {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  readonly feed: string;
  readonly author?: string;
  readonly tags?: string[];
  /** Markdown. */
  readonly text?: string;
}

export type Band = 'belong' | 'review' | 'noise';

export function fixtureItems(band: Band): FixtureItem[] {
  return parse(readFileSync(packagePath('fixtures', 'scoring', `${band}.yaml`), 'utf8')) as FixtureItem[];
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** RSS 2.0 with each item's text as preformatted paragraphs of HTML. */
export function feedXml(items: readonly FixtureItem[]): string {
  const entries = items.map(({ id, title, url, text }) => {
    const html = (text ?? '')
      .split(/\n{2,}/)
      .map((part) => htmlOf(part))
      .join('\n');
    return `<item><guid isPermaLink="false">${id}</guid><title>${escaped(title)}</title><link>${escaped(url)}</link>
<pubDate>Fri, 01 May 2026 10:00:00 GMT</pubDate><description>${escaped(html)}</description></item>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><rss version="2.0"><channel><title>Fixtures</title><link>https://fixtures.example/</link><description>x</description>${entries.join('\n')}</channel></rss>`;
}

function htmlOf(part: string): string {
  const code = /^```\w*\n([\s\S]*?)\n```$/.exec(part.trim());
  if (code) return `<pre><code>${escaped(code[1] ?? '')}</code></pre>`;
  if (part.startsWith('## ')) return `<h2>${escaped(part.slice(3))}</h2>`;
  if (/^\d\. /.test(part))
    return `<ol>${part
      .split('\n')
      .map((l) => `<li>${escaped(l.replace(/^\d\. /, ''))}</li>`)
      .join('')}</ol>`;
  if (part.startsWith('- '))
    return `<ul>${part
      .split('\n')
      .map((l) => `<li>${escaped(l.slice(2))}</li>`)
      .join('')}</ul>`;
  return `<p>${escaped(part)}</p>`;
}
