/** The stage registry: one import and one line a stage, alphabetical, nothing else. */
import type { AnyStage, StageRegistry } from '../runner/stage.js';
import { assembleContext } from './answer/assemble-context.js';
import { budget } from './answer/budget.js';
import { confidence } from './answer/confidence.js';
import { excerpt } from './answer/excerpt.js';
import { chunkHeadings } from './chunk/chunk-headings.js';
import { chunkParagraphs } from './chunk/chunk-paragraphs.js';
import { embed } from './embed/embed.js';
import { finishIndex } from './index/finish-index.js';
import { writeIndex } from './index/write-index.js';
import { draftCapture } from './note/draft-capture.js';
import { renderNote } from './note/render-note.js';
import { writeNote } from './note/write-note.js';
import { collapseSimilar } from './retrieve/collapse-similar.js';
import { demoteStale } from './retrieve/demote-stale.js';
import { embedQuery } from './retrieve/embed-query.js';
import { expandLinks } from './retrieve/expand-links.js';
import { fuse } from './retrieve/fuse.js';
import { keepBest } from './retrieve/keep-best.js';
import { matchNotes } from './retrieve/match-notes.js';
import { matchText } from './retrieve/match-text.js';
import { matchVector } from './retrieve/match-vector.js';
import { rescore } from './retrieve/rescore.js';
import { classify } from './safety/classify.js';
import { scrub } from './safety/scrub.js';
import { cleanUrl } from './signal/clean-url.js';
import { dedupe } from './signal/dedupe.js';
import { route } from './signal/route.js';
import { score } from './signal/score.js';
import { bookmarks } from './source/bookmarks.js';
import { feeds } from './source/feeds.js';
import { inbox } from './source/inbox.js';
import { mail } from './source/mail.js';
import { readNote } from './source/read-note.js';
import { scanVault } from './source/scan-vault.js';
import { urlList } from './source/url-list.js';
import { extract } from './web/extract.js';
import { fetchPage } from './web/fetch-page.js';

const stages: readonly unknown[] = [
  assembleContext, //
  bookmarks,
  budget,
  chunkHeadings,
  chunkParagraphs,
  classify,
  cleanUrl,
  collapseSimilar,
  confidence,
  dedupe,
  demoteStale,
  draftCapture,
  embed,
  embedQuery,
  excerpt,
  expandLinks,
  extract,
  feeds,
  fetchPage,
  finishIndex,
  fuse,
  inbox,
  keepBest,
  mail,
  matchNotes,
  matchText,
  matchVector,
  readNote,
  renderNote,
  rescore,
  route,
  scanVault,
  score,
  scrub,
  urlList,
  writeIndex,
  writeNote,
];

export const registry: StageRegistry = new Map((stages as readonly AnyStage[]).map((stage) => [stage.name, stage]));
