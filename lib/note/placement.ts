/** What a note's next text is and where a new one goes: the pure half of `write-note`. */
import type { NoteDraft } from '../../runner/items.js';
import { readFrontmatter } from '../vault/frontmatter.js';
import { noteText } from './text.js';

/** What scoring adds to a note that is the user's own (a clipping in the inbox); the rest of it is not ours to say. */
const JUDGEMENT: ReadonlySet<string> = new Set([
  'domain',
  'score',
  'relevance',
  'actionability',
  'depth',
  'authority',
  'evidence',
  'id',
]);

export interface NoteState {
  /** What was written last; undefined when that is not known. */
  readonly base: string | undefined;
  /** What lies there. */
  readonly disk: string;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/** The text we would write now. Its dates move only when something else does, so that a repeat changes no byte. */
export function nextText({ frontmatter, body, signal }: NoteDraft, { base, disk, today }: NoteState): string {
  if (signal?.article.notePath !== undefined) {
    return noteText(Object.fromEntries(Object.entries(frontmatter).filter(([key]) => JUDGEMENT.has(key))), body);
  }
  const last = readFrontmatter(base ?? disk).data;
  const created = readFrontmatter(disk).data['created'] ?? last['created'] ?? today;
  const same = noteText({ ...frontmatter, created, updated: last['updated'] ?? today }, body);
  return same === (base ?? disk) ? same : noteText({ ...frontmatter, created, updated: today }, body);
}

/** Folder of a new note; '' when the draft names its own. */
export function folderFor({ path, signal }: NoteDraft, folders: { write: string; review: string }): string {
  if (path.includes('/')) return '';
  return signal?.decision === 'write' ? folders.write.replaceAll('{domain}', signal.domain) : folders.review;
}
