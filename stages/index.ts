/** The stage registry: one import and one line a stage, alphabetical, nothing else. */
import type { AnyStage, StageRegistry } from '../runner/stage.js';
import { renderNote } from './note/render-note.js';
import { writeNote } from './note/write-note.js';
import { scrub } from './safety/scrub.js';
import { cleanUrl } from './signal/clean-url.js';
import { dedupe } from './signal/dedupe.js';
import { route } from './signal/route.js';
import { score } from './signal/score.js';
import { feeds } from './source/feeds.js';
import { extract } from './web/extract.js';
import { fetchPage } from './web/fetch-page.js';

const stages: readonly unknown[] = [
  cleanUrl, //
  dedupe,
  extract,
  feeds,
  fetchPage,
  renderNote,
  route,
  score,
  scrub,
  writeNote,
];

export const registry: StageRegistry = new Map((stages as readonly AnyStage[]).map((stage) => [stage.name, stage]));
