/** The note of a captured text: what a person or an agent wants to keep, with where it came from. */
import { createHash } from 'node:crypto';
import type { Article, NoteDraft } from '../../runner/items.js';
import { fileNameFor } from './file-name.js';

/** Characters of the first line that make a title when none is given. */
const TITLE_LENGTH = 80;

/** Same text, same id: a text captured twice is one note. */
export function captureId(text: string): string {
  return `capture-${createHash('sha256').update(text.replace(/\s+/g, ' ').trim()).digest('hex').slice(0, 16)}`;
}

/** Title of a captured text: its first heading or line. */
export function captureTitle(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '') ?? 'Capture';
  const plain = first
    .replace(/^#+\s*/, '')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > TITLE_LENGTH ? `${plain.slice(0, TITLE_LENGTH).replace(/\s+\S*$/, '')}…` : plain;
}

/** `article.markdown` is the text; `domain` is set by the caller. `by` names the agent for agent-written notes. */
export function captureNote(article: Article, domain: string, by: string | undefined): NoteDraft {
  const text = (article.markdown ?? '').trim();
  const agent = by === undefined ? {} : { written_by: by, reviewed: false };
  return {
    path: fileNameFor(article.title),
    frontmatter: {
      title: article.title,
      type: 'note',
      domain,
      tags: article.tags,
      source: article.url ?? '',
      status: by === undefined ? 'active' : 'draft',
      ...agent,
      id: captureId(text),
    },
    body: `# ${article.title}\n\n${text}\n`,
  };
}
