/** What the SQLite index adds to the rows every SQL store has. */
import { type ChunkRow, META_COLUMNS, STAT_COLUMNS } from '../rows.js';

/** A chunk with what the keyword index was given, which removal must repeat. */
export interface IndexedChunkRow extends ChunkRow<number> {
  readonly path: string;
  readonly terms: string;
}

/** What a `FileRecord` needs, for queries over `files f`: a scan reads every file, and metadata would double its time. */
export const SCAN_COLUMNS = `${STAT_COLUMNS},
  (SELECT json_group_array(s.fingerprint) FROM file_spaces fs JOIN vector_spaces s ON s.id = fs.space_id
   WHERE fs.file_id = f.id) AS spaces`;
/** The same with the note's metadata. */
export const FILE_COLUMNS = `${SCAN_COLUMNS}, f.id, ${META_COLUMNS}`;
