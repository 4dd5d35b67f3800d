/** Depth: the substance of the content itself. Tags, pictures and metadata count nothing. */
import type { Cue } from '../../runner/items.js';
import type { ScoringConfig } from './config.js';
import { CueFinder, pull } from './cues.js';
import type { Measured } from './measure.js';
import { clamp, type Part, part, saturate } from './part.js';

export interface DepthConfig {
  readonly neutral: number;
  readonly settings: ScoringConfig['depth'];
  readonly pulls: CueFinder;
  /** How many different technical phrases a list of words has. */
  readonly technicalPhrases: (tokens: readonly string[]) => number;
}

export function prepareDepth(
  { depth: settings, neutral }: ScoringConfig,
  technicalPhrases: DepthConfig['technicalPhrases'],
): DepthConfig {
  return { neutral, settings, pulls: new CueFinder(settings.pulls), technicalPhrases };
}

/** Press releases and teasers show in the opening; a listicle in its title. */
const PULL_TOKENS = 200;
/** A title that promises a count of things, in the three languages. */
const LISTICLE =
  /^(?:the |top |les |najlepsze )?(?:top )?\d{1,3}\s+(?:\p{L}+\s+){0,4}\p{L}+|\b\d{1,3} (?:things|ways|reasons|tips|tricks|tools|secrets|hacks|choses|astuces|raisons|sposobów|rzeczy|powodów)\b/iu;

/**
 * Weighted sum of seven parts, each 0..1. All but length fade in with length: the vocabulary of a caption says
 * nothing. Then listicles, teasers, press releases, link dumps and picture posts lose their share.
 */
export function depth(item: Measured, config: DepthConfig): Part {
  const { weights } = config.settings;
  const length = lengthOf(item, config.settings);
  const presence = clamp((item.words + 4 * item.codeLines) / 200);
  const parts: readonly [name: keyof typeof weights, detail: string, value: number][] = [
    ['length', `${item.words} words, ${item.codeLines} lines of code`, length],
    [
      'structure',
      `${item.headings} headings, ${item.paragraphs} paragraphs`,
      presence * (0.6 * saturate(item.headings, 2) + 0.4 * saturate(item.paragraphs, 4)) * 1.25,
    ],
    [
      'code',
      `${item.codeLines} lines, ${item.inlineCode} inline`,
      presence * saturate(item.codeLines + item.inlineCode / 2, 8),
    ],
    [
      'data',
      `${item.figures} figures, ${item.tableRows} table rows`,
      presence * saturate(item.figures + item.tableRows, 4),
    ],
    [
      'references',
      `${item.links} links to ${item.linkHosts} hosts, ${item.footnotes} notes`,
      presence * saturate(Math.min(item.links, 2 * item.linkHosts) + item.footnotes, 4),
    ],
    ['vocabulary', 'technical phrases', presence * saturate(config.technicalPhrases(item.textTokens), 8)],
    ['variety', 'different words', presence * clamp((item.variety - 0.3) / 0.3)],
  ];
  const cues: Cue[] = parts.map(([name, detail, value]) => ({
    cue: `${name}: ${detail}`,
    weight: weights[name] * clamp(value),
  }));
  const sum = cues.reduce((total, { weight }) => total + weight, 0);
  const { factor, evidence } = pull([
    ...config.pulls.find(item, PULL_TOKENS),
    ...shapePulls(item, config.settings.shape),
  ]);
  if (!item.hasText) return part(config.neutral * factor, [{ cue: 'no text: neutral', weight: 0 }, ...evidence]);
  const cut = item.truncated ? [{ cue: 'only the first 200,000 characters were read', weight: 0 }] : [];
  const found = cues.filter((c) => c.weight >= 0.001);
  if (found.length === 0) found.push({ cue: `${item.words} words: nothing to it`, weight: 0 });
  return part(sum * factor, [...found, ...evidence, ...cut], 10);
}

/** Log scale between the two bounds; a line of code counts as eight words. */
function lengthOf(item: Measured, settings: ScoringConfig['depth']): number {
  const words = item.words + 8 * item.codeLines;
  const low = Math.log(settings['short-words']);
  const high = Math.log(settings['long-words']);
  return clamp((Math.log(Math.max(1, words)) - low) / (high - low));
}

function shapePulls(item: Measured, shape: ScoringConfig['depth']['shape']): Cue[] {
  const cues: Cue[] = [];
  const add = (cue: string, weight: number) => cues.push({ cue, weight });
  if (item.links >= 5 && item.linkWords > 0.4 * item.words) add('mostly links', shape['link-dump']);
  if (item.images > 0 && item.words < 40 + 20 * item.images && item.codeLines === 0)
    add('pictures, few words', shape.picture);
  if (item.breaksOff && item.words < 150) add('breaks off', shape.teaser);
  if (isListicle(item)) add('list of short items', shape.listicle);
  return cues;
}

/** A count in the title and a text of short sections: many headings or items, few words to each, no code. */
function isListicle(item: Measured): boolean {
  if (!LISTICLE.test(item.article.title.trim()) || item.codeLines >= 5) return false;
  const sections = Math.max(item.headings, item.listItems);
  return !item.hasText || sections < 3 || item.words / sections < 90;
}
