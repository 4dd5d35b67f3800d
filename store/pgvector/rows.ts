/** What the PostgreSQL index adds to the rows every SQL store has. */
import { META_COLUMNS, STAT_COLUMNS } from '../rows.js';

/** What a `FileRecord` needs, for queries over `files f`: a scan reads every file, and metadata would double its size. */
export const SCAN_COLUMNS = `${STAT_COLUMNS},
  ARRAY(SELECT s.fingerprint FROM file_spaces fs JOIN vector_spaces s ON s.id = fs.space_id
        WHERE fs.file_id = f.id ORDER BY s.id) AS spaces`;
/** The same with the note's metadata. */
export const FILE_COLUMNS = `${SCAN_COLUMNS}, f.id, ${META_COLUMNS}`;
