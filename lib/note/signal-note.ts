/** A scored article as a note: frontmatter in a fixed order, summary, key points, source, and the full text on demand. */
import type { Article, Cue, Dimension, NoteDraft, Signal } from '../../runner/items.js';
import { summarise } from '../summary/summarise.js';
import { fileNameFor } from './file-name.js';
import { cleanTags } from './tags.js';

export interface NoteOptions {
  readonly body: 'summary' | 'full';
  /** Sentences in the summary. */
  readonly sentences: number;
  readonly points: number;
  /** Cues kept for each dimension. */
  readonly evidence: number;
}

const DIMENSIONS: readonly Dimension[] = ['relevance', 'actionability', 'depth', 'authority'];

/** Pure: the same signal gives the same bytes. Dates of writing (`created`, `updated`) are `write-note`'s to set. */
export function signalNote(signal: Signal, options: NoteOptions): NoteDraft {
  const { article } = signal;
  return {
    signal,
    path: article.notePath ?? fileNameFor(article.title),
    frontmatter: frontmatterOf(signal, options.evidence),
    body: bodyOf(article, options),
  };
}

function frontmatterOf({ article, scores, domain, decision }: Signal, evidence: number): Record<string, unknown> {
  const also = (article.alsoFrom ?? []).map(({ name }) => name);
  const fields: Record<string, unknown> = {
    title: article.title,
    type: 'signal',
    domain,
    tags: cleanTags(article.tags),
    // Placeholders that keep the order.
    created: '',
    updated: '',
    source: article.canonicalUrl ?? article.url,
    status: decision === 'review' ? 'draft' : 'active',
    author: article.author,
    site: article.site,
    published: article.published?.slice(0, 10),
    published_inferred: article.publishedInferred ? true : undefined,
    language: article.language,
    from: article.source.name,
    also_from: also.length > 0 ? also : undefined,
    score: scores && rounded(scores.composite),
    ...Object.fromEntries(DIMENSIONS.map((name) => [name, scores && rounded(scores[name])])),
    evidence: scores && DIMENSIONS.flatMap((name) => cues(name, scores.evidence[name], evidence)),
    fallback: article.fallback ? true : undefined,
    id: article.key,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** The strongest cues, as one readable line each: flat lists are what note editors can show. */
function cues(dimension: Dimension, fired: readonly Cue[], most: number): string[] {
  return [...fired]
    .sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
    .slice(0, most)
    .map(({ cue, weight }) => `${dimension}: ${cue} (${weight >= 0 ? '+' : ''}${rounded(weight)})`);
}

function bodyOf(article: Article, options: NoteOptions): string {
  const text = article.markdown ?? article.summary ?? '';
  const { summary, points } = summarise(text, { ...options, title: article.title, language: article.language });
  const parts = [summary === '' ? `${article.title}: no text was found; see the source.` : inline(summary)];
  if (points.length > 0) parts.push(`## Key points\n\n${points.map((point) => `- ${inline(point)}`).join('\n')}`);
  parts.push(`## Source\n\n${sourceLines(article).join('\n')}`);
  if (options.body === 'full' && text.trim() !== '') parts.push(`## Full text\n\n${demoted(text.trim())}`);
  return parts.join('\n\n');
}

function sourceLines(article: Article): string[] {
  const url = article.canonicalUrl ?? article.url;
  const by = [article.author, article.site, article.published?.slice(0, 10)].filter((part) => part !== undefined);
  const from = [article.source, ...(article.alsoFrom ?? [])].map(({ name }) => name);
  return [
    ...(url === undefined ? [] : [`- <${url.replace(/[\s<>]/g, encodeURIComponent)}>`]),
    ...(by.length === 0 ? [] : [`- ${inline(by.join(', '))}`]),
    `- From: ${inline(from.join(', '))}`,
  ];
}

/** Text of a sentence must not begin a list, a heading, a tag or a wiki link of its own; code in it stays code. */
function inline(text: string): string {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[\\`*_[\]<>]/g, '\\$&')))
    .join('')
    .replace(/^(\s*)([#+-]|\d+[.)])(?=\s)/, '$1\\$2')
    .replace(/(^|\s)#(?=[\p{L}\p{N}])/gu, '$1\\#');
}

/** Headings moved below `## Full text`, so that the note's own structure stays whole. Fenced code is left alone. */
function demoted(markdown: string): string {
  let fence: string | undefined;
  return markdown
    .split('\n')
    .map((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark !== undefined && (fence === undefined || (mark.startsWith(fence) && line.trim() === mark)))
        fence = fence === undefined ? mark : undefined;
      if (fence !== undefined) return line;
      return line.replace(/^#{1,6}(?=\s)/, (hashes) => '#'.repeat(Math.min(6, hashes.length + 2)));
    })
    .join('\n');
}
