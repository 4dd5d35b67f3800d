/** The index settings of config.yaml as stages see them. */

export interface IndexSettings {
  /** If more than this share of the indexed notes is gone at once, nothing is deleted. */
  readonly deleteThreshold: number;
  /** Larger notes are listed but not chunked. */
  readonly maxNoteBytes: number;
  /** Chunks embedded at a time. */
  readonly embedBatch: number;
}

declare module '../runner/resources.js' {
  interface ResourceTypes {
    indexSettings: IndexSettings;
  }
}
