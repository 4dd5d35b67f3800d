/** Actionability: whether the reader can do something with it. Steps, commands, fixes and deadlines against news and opinion. */
import type { Cue } from '../../runner/items.js';
import type { ScoringConfig } from './config.js';
import { CueFinder, pull } from './cues.js';
import type { Measured } from './measure.js';
import { type Part, part, saturate } from './part.js';

export interface ActionabilityConfig {
  readonly neutral: number;
  readonly half: number;
  readonly floor: number;
  readonly cues: CueFinder;
  readonly pulls: CueFinder;
  readonly structure: ScoringConfig['actionability']['structure'];
}

export function prepareActionability({ actionability: config, neutral }: ScoringConfig): ActionabilityConfig {
  return {
    neutral,
    half: config.half,
    floor: config.floor,
    structure: config.structure,
    cues: new CueFinder(config.cues),
    pulls: new CueFinder(config.pulls),
  };
}

/** News gives itself away in its first paragraphs; further down the same words are quotations. */
const PULL_TOKENS = 250;

export function actionability(item: Measured, config: ActionabilityConfig): Part {
  const evidence: Cue[] = [...config.cues.find(item), ...structureCues(item, config.structure)];
  const gained = saturate(
    evidence.reduce((sum, { weight }) => sum + weight, 0),
    config.half,
  );
  const { factor, evidence: pulls } = pull(config.pulls.find(item, PULL_TOKENS));
  evidence.push(...pulls);
  if (!item.hasText) {
    evidence.push({ cue: 'no text: neutral but for the title', weight: 0 });
    return part((config.neutral + (1 - config.neutral) * gained) * factor, evidence);
  }
  if (evidence.length === 0) evidence.push({ cue: 'nothing to act on', weight: 0 });
  return part((config.floor + (1 - config.floor) * gained) * factor, evidence);
}

function structureCues(item: Measured, worth: ActionabilityConfig['structure']): Cue[] {
  const cues: Cue[] = [];
  const add = (cue: string, weight: number) => {
    if (weight > 0) cues.push({ cue, weight });
  };
  add(`${item.commandLines} command lines`, worth.commands * saturate(item.commandLines, 2));
  add(`${item.codeLines} lines of code`, worth.code * saturate(item.codeLines, 10));
  add(`${item.orderedSteps} numbered steps`, worth.steps * saturate(item.orderedSteps, 3));
  add(`${item.versions} version numbers`, worth.versions * saturate(item.versions, 2));
  // A CVE alone is news; one with a version to install or a command to run is something to do.
  if (item.versions + item.commandLines > 0)
    add(`${item.cves} CVE with versions`, worth['cve-with-remedy'] * saturate(item.cves, 0.5));
  return cues;
}
