/** What flows through a pipeline: the item envelope and the kinds of data an item can carry. */

/** One thing that happened to an item: which stage, when, what. Kept on the item, shown by `trace`. */
export interface TrailEntry {
  readonly stage: string;
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly what: string;
}

/** Where an article came from; `kind` is the reader that produced it. */
export interface SourceRef {
  readonly name: string;
  readonly kind: 'feed' | 'bookmarks' | 'mail' | 'list' | 'capture' | 'inbox' | 'hook';
  readonly url?: string;
}

/** An entry read from a source, before it is judged. Text fields never hold credentials once `scrub` has run. */
export interface Article {
  readonly source: SourceRef;
  /** Further sources that carried the same story. */
  readonly alsoFrom?: readonly SourceRef[];
  /** The source's own identifier, when it has one. */
  readonly guid?: string;
  /** Identity for ever; set by `dedupe` (see SPEC 3). */
  readonly key?: string;
  /** Identifiers that do not tell this item from others of its source, so that `dedupe` passes over them. */
  readonly unreliable?: readonly ('guid' | 'url')[];
  /** Every identity the item answers to; set by `dedupe`, kept in the ledger. */
  readonly aliases?: readonly string[];
  /** Hash of what the source itself said: tells an update from a repeat before anything is fetched. Set by `dedupe`. */
  readonly fingerprint?: string;
  readonly url?: string;
  readonly canonicalUrl?: string;
  readonly title: string;
  readonly author?: string;
  readonly site?: string;
  /** ISO 8601 UTC. */
  readonly published?: string;
  /** True when `published` is the time of first sight because the source gave no usable date. */
  readonly publishedInferred?: boolean;
  readonly updated?: string;
  readonly language?: string;
  readonly tags: readonly string[];
  /** Short HTML or text as the source gave it. */
  readonly summary?: string;
  /** Full HTML as the source or the page gave it. */
  readonly html?: string;
  /** Readable Markdown: what is scored, summarised and filed. */
  readonly markdown?: string;
  /** True when `markdown` comes from the source's own text because page extraction gave nothing better. */
  readonly fallback?: boolean;
  /** What the item's address answered, from `fetch-page` until `extract` has read it; never stored. */
  readonly page?: FetchedPage;
  /** Path of an existing note, for items that already lie in the vault's inbox. */
  readonly notePath?: string;
}

/** A page as it came; `html` is '' for anything that is no text (a PDF, a picture). */
export interface FetchedPage {
  /** After redirects. */
  readonly url: string;
  /** Media type without parameters, lower case. */
  readonly type: string;
  readonly html: string;
}

/** A cue that fired while scoring, and what it was worth. */
export interface Cue {
  readonly cue: string;
  readonly weight: number;
}

export type Dimension = 'relevance' | 'actionability' | 'depth' | 'authority';

/** Four parts and their weighted sum, each 0..1, with the cues behind every part. */
export interface Scores {
  readonly relevance: number;
  readonly actionability: number;
  readonly depth: number;
  readonly authority: number;
  readonly composite: number;
  readonly evidence: Readonly<Record<Dimension, readonly Cue[]>>;
}

export type Decision = 'write' | 'review' | 'skip' | 'unscored';

/** A scored article with its destination. `scores` is absent when a scorer failed (`unscored`). */
export interface Signal {
  readonly article: Article;
  readonly scores?: Scores;
  readonly domain: string;
  readonly domainSecond?: string;
  readonly domainEvidence?: readonly Cue[];
  readonly decision?: Decision;
  /** One readable line: why this decision. */
  readonly reason?: string;
}

/** A note ready to be written: frontmatter in output order, Markdown body. */
export interface NoteDraft {
  readonly signal?: Signal;
  /** Vault-relative folder and file name, forward slashes; `write-note` may add a suffix to keep it unique. */
  readonly path: string;
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A note that is durably on disk. */
export interface WrittenNote {
  readonly path: string;
  readonly change: 'created' | 'updated' | 'unchanged';
  readonly signal?: Signal;
}

/** Size and times of a vault file; `mtimeNs` is a decimal string because nanoseconds do not fit a JS number. */
export interface FileStat {
  readonly size: number;
  readonly mtimeNs: string;
}

/** A Markdown file of the vault as it is on disk, and how it differs from the index. */
export interface VaultFile {
  /** Vault-relative, forward slashes, as on disk. */
  readonly path: string;
  readonly stat: FileStat;
  readonly change: 'new' | 'changed' | 'deleted' | 'renamed' | 'touched';
  /** For `renamed`: where the index still has it. */
  readonly previousPath?: string;
  /** Decoded text with LF line ends; absent for `deleted`. */
  readonly text?: string;
  /** SHA-256 of the bytes on disk, hex; absent for `deleted`. */
  readonly hash?: string;
  /** Hash the index has; absent when the note must be indexed again whatever its bytes are. */
  readonly indexedHash?: string;
  /** Fingerprint of everything that decides how this file's text becomes chunks; kept with the note in the index. */
  readonly recipe?: string;
}

/** Metadata that filters and ranking use, from frontmatter with fallbacks. */
export interface NoteMeta {
  readonly title: string;
  readonly type?: string;
  readonly domain?: string;
  readonly tags: readonly string[];
  readonly status?: string;
  /** YYYY-MM-DD. */
  readonly created?: string;
  /** YYYY-MM-DD; from content change, never from indexing time. */
  readonly updated?: string;
  readonly source?: string;
  readonly aliases?: readonly string[];
  readonly sensitivity?: 'public' | 'internal' | 'private' | 'secret';
}

/** A retrievable piece of a note. `lines` are 1-based and inclusive, in the file on disk. */
export interface Chunk {
  readonly index: number;
  /** Nearest H2 text, or '' before the first H2. */
  readonly section: string;
  /** Title, tags, type and domain: what the keyword index sees beside the text. */
  readonly headingContext: string;
  readonly text: string;
  readonly lines: readonly [from: number, to: number];
  /** SHA-256 of what is embedded, hex: an unchanged chunk keeps its vector. */
  readonly hash: string;
  readonly vector?: Float32Array;
}

/** A wiki-link or Markdown link to another note. */
export interface NoteLink {
  /** The target as written, without alias and heading. */
  readonly target: string;
  readonly heading?: string;
  readonly alias?: string;
  readonly embed: boolean;
  readonly line: number;
}

/** A vault file with everything the index stores of it. For `deleted` files only `file` matters. */
export interface IndexedNote {
  readonly file: VaultFile;
  readonly meta: NoteMeta;
  readonly chunks: readonly Chunk[];
  readonly links: readonly NoteLink[];
}

/** Metadata filters; all given ones must hold. Pushed into both retrieval legs (SPEC 21). */
export interface Filter {
  readonly type?: readonly string[];
  readonly domain?: readonly string[];
  /** All of these tags; a tag also matches its nested children (`a` matches `a/b`). */
  readonly tag?: readonly string[];
  readonly status?: readonly string[];
  /** Vault-relative folder prefixes, forward slashes, no trailing slash. */
  readonly folder?: readonly string[];
  readonly source?: readonly string[];
  /** Inclusive YYYY-MM-DD bounds. */
  readonly createdFrom?: string;
  readonly createdTo?: string;
  readonly updatedFrom?: string;
  readonly updatedTo?: string;
  /** Notes above this sensitivity are invisible. */
  readonly ceiling?: 'public' | 'internal' | 'private' | 'secret';
}

/** What a caller asks. `vector` is set by `embed-query`. */
export interface Query {
  readonly text: string;
  readonly filter: Filter;
  /** Results wanted after the budget. */
  readonly limit: number;
  /** Token budget for the returned text. */
  readonly maxTokens?: number;
  /** Paths of notes that are wanted as they are, instead of a search (`match-notes`). */
  readonly notes?: readonly string[];
  /** Treat the last word as a prefix (search as you type). */
  readonly prefix?: boolean;
  readonly vector?: Float32Array;
  /** Fingerprint of the model that made `vector`. */
  readonly fingerprint?: string;
}

/** A chunk that answers a query. Ranks count from 1 and are null where the leg did not find the chunk. */
export interface Hit {
  readonly chunkId: number;
  readonly path: string;
  readonly section: string;
  readonly text: string;
  readonly lines: readonly [from: number, to: number];
  readonly meta: NoteMeta;
  readonly score: number;
  readonly bm25Rank: number | null;
  readonly vecRank: number | null;
  /** Positive, larger is better; as the keyword leg gave it. */
  readonly bm25Score?: number;
  /** Cosine, -1..1. */
  readonly cosine?: number;
  /** A short piece of the text around what matched, without line breaks. */
  readonly excerpt?: string;
  /** Near-identical chunks that this one stands for. */
  readonly similar?: readonly {
    readonly path: string;
    readonly section: string;
    readonly lines: readonly [number, number];
  }[];
  /** True when the text was cut to fit the budget. */
  readonly truncated?: boolean;
  /** For `--explain`: named contributions to the final score. */
  readonly explain?: Readonly<Record<string, number | string>>;
}

/** Assembled context for an agent. */
export interface Context {
  readonly topic: string;
  readonly text: string;
  readonly tokens: number;
  readonly sources: readonly { file_path: string; section: string; lines: readonly [number, number] }[];
}

/** Text going in or out of one-shot pipelines such as `compress`. */
export interface TextBlob {
  readonly text: string;
  readonly label?: string;
}

/** Every item kind by name. A new kind is one line here; extensions may add theirs by declaration merging. */
export interface ItemKinds {
  Article: Article;
  Signal: Signal;
  Draft: NoteDraft;
  WrittenNote: WrittenNote;
  VaultFile: VaultFile;
  IndexedNote: IndexedNote;
  Query: Query;
  Hit: Hit;
  Context: Context;
  Text: TextBlob;
}

export type Kind = keyof ItemKinds;

/** The envelope the runner moves about. Items are frozen: a stage gives new data, never edits old. */
export interface Item<K extends Kind = Kind> {
  readonly id: string;
  readonly kind: K;
  readonly data: ItemKinds[K];
  readonly trail: readonly TrailEntry[];
  /** Name of the `parallel` branch this item came through, if any. */
  readonly branch?: string;
}

let counter = 0;

/** Wraps data for the runner. Without an id the item gets a process-unique one. */
export function makeItem<K extends Kind>(kind: K, data: ItemKinds[K], id?: string): Item<K> {
  return Object.freeze({ id: id ?? `${kind}-${++counter}`, kind, data, trail: [] });
}

/** The same item with new data, possibly of another kind, and one more line of trail. */
export function derive<K extends Kind>(
  from: Item,
  kind: K,
  data: ItemKinds[K],
  id?: string,
  entry?: TrailEntry,
): Item<K> {
  return Object.freeze({
    id: id ?? from.id,
    kind,
    data,
    trail: entry ? [...from.trail, entry] : from.trail,
    ...(from.branch === undefined ? {} : { branch: from.branch }),
  });
}
