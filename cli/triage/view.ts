/** Draws the triage interface: one item at a time, with bars, cues, excerpt and the keys. */

import { DIMENSIONS } from '../../lib/scoring/part.js';
import { bar, cueText } from '../scoring/show.js';
import { DOMAIN_KEYS, type TriageItem, type TriageState } from './state.js';

export interface Screen {
  readonly columns: number;
  readonly rows: number;
  /** ANSI colours and bold. */
  readonly colour: boolean;
}

const KEYS = 'a accept  d domain  r reject  s skip  o open  A/R source  u undo  ? help  q quit';

const HELP = [
  'a, Return   accept into the domain shown',
  'd           accept into another domain',
  'r           reject: the note leaves the vault and does not come back',
  's, j, Space skip: decide later',
  'k           back to the one before',
  'o           open the source in the browser',
  'A, R        accept or reject everything from this source (asks first)',
  'u           undo the latest accept or reject, also of earlier sessions',
  'q           quit',
  '',
  'Any key goes back.',
];

/** The lines of the screen, none wider than it. */
export function render(state: TriageState, screen: Screen): string[] {
  const current = state.items[state.at];
  const bold = (text: string) => (screen.colour ? `\x1b[1m${text}\x1b[0m` : text);
  const dim = (text: string) => (screen.colour ? `\x1b[2m${text}\x1b[0m` : text);
  const { accepted, rejected } = state.done;
  const position = current ? `${state.at + 1} of ${state.items.length}` : 'nothing left';
  const head = `Triage: ${position}   accepted ${accepted}, rejected ${rejected}`;
  const clip = (text: string) => cut(text, screen.columns);
  const foot = ['', clip(state.message), dim(clip(KEYS))];
  const body =
    state.mode === 'help'
      ? HELP.map(clip)
      : state.mode === 'domain'
        ? state.domains.map((domain, at) => clip(`  ${DOMAIN_KEYS[at] ?? ' '}  ${domain}`))
        : current
          ? itemLines(current, screen, bold, dim)
          : ['No item waits for review.'];
  const room = Math.max(1, screen.rows - foot.length - 2);
  return [bold(clip(head)), '', ...body.slice(0, room), ...foot];
}

type Paint = (text: string) => string;

function itemLines({ row, excerpt }: TriageItem, screen: Screen, bold: Paint, dim: Paint): string[] {
  const clip = (text: string) => cut(text, screen.columns);
  const { scores } = row;
  const second = row.domainSecond ? `, then ${row.domainSecond}` : '';
  const from = [row.source, row.url].filter((part) => part !== undefined && part !== '').join('  ');
  return [
    bold(clip(row.title || '(no title)')),
    dim(clip(from)),
    clip(`${row.domain ?? 'other'}${second}   ${scores ? `composite ${scores.composite.toFixed(2)}` : 'not scored'}`),
    '',
    ...(scores
      ? DIMENSIONS.map((name) =>
          clip(
            `${name.padEnd(13)} ${bar(scores[name])} ${scores[name].toFixed(2)}  ${cueText(scores.evidence[name], 3)}`,
          ),
        )
      : [clip(row.reason ?? '')]),
    '',
    ...wrap(excerpt, screen.columns).slice(0, 8),
  ];
}

/** Cuts to a width in columns: wide characters (CJK, emoji) take two. */
export function cut(text: string, columns: number): string {
  const flat = text.replace(/[\p{Cc}\p{Cf}]/gu, ' ');
  let width = 0;
  let end = 0;
  for (const char of flat) {
    width += widthOf(char);
    if (width > columns) return `${flat.slice(0, Math.max(0, end - 1))}…`;
    end += char.length;
  }
  return flat;
}

function widthOf(char: string): number {
  return /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u.test(
    char,
  )
    ? 2
    : 1;
}

/** Breaks text at spaces. */
export function wrap(text: string, columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(cut(line, columns));
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return line === '' ? lines : [...lines, cut(line, columns)];
}
