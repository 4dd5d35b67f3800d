/** The one shape every bookmark format is read into. */

export interface Bookmark {
  readonly url: string;
  /** '' when the file gives none. */
  readonly title: string;
  /** Folder names from the root, without the browser's own ("Bookmarks bar"). */
  readonly folders: readonly string[];
  readonly tags: readonly string[];
  /** ISO 8601 UTC: when it was bookmarked. */
  readonly added?: string;
  /** The user's own words about it. */
  readonly description?: string;
}

export interface BookmarkFile {
  readonly format: 'netscape' | 'chrome' | 'firefox' | 'pinboard' | 'pinboard-xml' | 'csv' | 'urls';
  readonly bookmarks: readonly Bookmark[];
  /** Records that could not be used, one line each; the rest was taken. */
  readonly problems: readonly string[];
}

/** What a format's reader collects. */
export interface Collected {
  readonly bookmarks: Bookmark[];
  readonly problems: string[];
}
