/** The frame both chunk stages share: a note taken apart into metadata, links and chunks, with one way of cutting. */
import type { Chunker } from '../../lib/chunk/index-note.js';
import type { IndexedNote, VaultFile } from '../../runner/items.js';
import type { StageContext } from '../../runner/stage.js';

/** A stage body that cuts with `chunker`. Loads the Markdown parser, which no query needs. */
export async function cutWith(chunker: Chunker) {
  const { indexNote } = await import('../../lib/chunk/index-note.js');
  return {
    run(file: VaultFile, ctx: StageContext<never>): IndexedNote {
      const { note, problem } = indexNote(file, chunker);
      if (problem) ctx.log('warn', `${file.path}:${problem.line}: frontmatter: ${problem.message}`);
      return note;
    },
  };
}
