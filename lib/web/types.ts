/** What extraction gives, and who does it. */

export interface ExtractedPage {
  readonly url: string;
  readonly title: string;
  readonly byline?: string;
  /** As the page wrote it; parse with lib/dates. */
  readonly published?: string;
  readonly site?: string;
  readonly lang?: string;
  readonly canonicalUrl?: string;
  readonly markdown: string;
  readonly excerpt?: string;
  /** True when no article was found and the Markdown is the whole body. */
  readonly fallback: boolean;
}

/** Extraction in worker threads, so that one page can neither stall nor kill a run. */
export interface PageExtractor {
  /** Rejects with `extract-timeout` or `extract-failed`. */
  extract(html: string, url: string): Promise<ExtractedPage>;
  /** HTML fragment (a feed's own text) to Markdown, same rules. */
  toMarkdown(html: string, url: string | undefined): Promise<string>;
  close(): Promise<void>;
}

declare module '../../runner/resources.js' {
  interface ResourceTypes {
    extractor: PageExtractor;
  }
}
