/** The note graph's health: orphans, broken links, tag sprawl, link-only notes, oversized chunks. */
import type { ChunkStore, LinkRecord, NoteRecord } from '../store/types.js';

export interface GraphReport {
  readonly notes: number;
  readonly links: number;
  /** Notes that nothing links to and that link to nothing. */
  readonly orphans: readonly string[];
  readonly broken: readonly { readonly from: string; readonly line: number; readonly target: string }[];
  /** Distinct tags, the most used first. A vault does well with 20 to 50. */
  readonly tags: {
    readonly count: number;
    readonly usedOnce: number;
    readonly top: readonly (readonly [string, number])[];
  };
  /** Notes whose text is hardly more than links. */
  readonly linkOnly: readonly string[];
  /** Chunks above the limit, because what they hold may not be cut. */
  readonly oversized: readonly {
    readonly path: string;
    readonly lines: readonly [number, number];
    readonly characters: number;
  }[];
}

const PAGE = 500;
const TOP_TAGS = 20;
/** Less prose than this beside its links, and a note is a list of links. Characters. */
const LINK_ONLY_PROSE = 40;
/** Attachments are links too, but not to notes: `![[photo.png]]` is not broken for want of a note. */
const ATTACHMENT = /\.(?!md$|markdown$)[a-z0-9]{2,5}$/i;

/** Reads every note's links and chunks once; memory grows with the findings, and one flag a note. */
export async function graphReport(store: ChunkStore, maxChunk: number): Promise<GraphReport> {
  const linked = new Set<string>();
  const alone: string[] = [];
  const broken: { from: string; line: number; target: string }[] = [];
  const linkOnly: string[] = [];
  const oversized: { path: string; lines: readonly [number, number]; characters: number }[] = [];
  const tags = new Map<string, number>();
  let notes = 0;
  let links = 0;
  for await (const note of allNotes(store)) {
    notes++;
    for (const tag of note.meta.tags) tags.set(tag.toLowerCase(), (tags.get(tag.toLowerCase()) ?? 0) + 1);
    const outgoing = (await store.linksFrom(note.path)).filter(({ target }) => !ATTACHMENT.test(target));
    links += outgoing.length;
    for (const { to, line, target } of outgoing) {
      if (to === null) broken.push({ from: note.path, line, target });
      else if (to !== note.path) linked.add(to);
    }
    if (!outgoing.some(({ to }) => to !== null && to !== note.path)) alone.push(note.path);
    const chunks = await store.chunksOf(note.path);
    if (isLinkOnly(outgoing, chunks.map((chunk) => chunk.text).join('\n'))) linkOnly.push(note.path);
    for (const { text, lines } of chunks)
      if (text.length > maxChunk) oversized.push({ path: note.path, lines, characters: text.length });
  }
  const ranked = [...tags].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return {
    notes,
    links,
    orphans: alone.filter((path) => !linked.has(path)),
    broken,
    tags: { count: tags.size, usedOnce: ranked.filter(([, n]) => n === 1).length, top: ranked.slice(0, TOP_TAGS) },
    linkOnly,
    oversized,
  };
}

async function* allNotes(store: ChunkStore): AsyncGenerator<NoteRecord> {
  for (let offset = 0; ; offset += PAGE) {
    const page = await store.notes({ filter: {}, order: 'path', limit: PAGE, offset });
    yield* page;
    if (page.length < PAGE) return;
  }
}

/** MOCs are meant to be lists of links; they say so by having headings, which count as prose. */
function isLinkOnly(links: readonly LinkRecord[], text: string): boolean {
  if (links.length < 2) return false;
  const prose = text
    .replace(/!?\[\[[^\]]*\]\]|!?\[[^\]]*\]\([^)]*\)|https?:\/\/\S+/g, '')
    .replace(/[\s\-*+>|.,:;0-9]/g, '');
  return prose.length < LINK_ONLY_PROSE;
}
