/** The stage registry: one import and one line a stage, alphabetical, nothing else. */
import type { AnyStage, StageRegistry } from '../runner/stage.js';
import { scrub } from './safety/scrub.js';
import { cleanUrl } from './signal/clean-url.js';
import { dedupe } from './signal/dedupe.js';
import { route } from './signal/route.js';
import { score } from './signal/score.js';
import { feeds } from './source/feeds.js';

const stages: readonly unknown[] = [
  cleanUrl, //
  dedupe,
  feeds,
  route,
  score,
  scrub,
];

export const registry: StageRegistry = new Map((stages as readonly AnyStage[]).map((stage) => [stage.name, stage]));
