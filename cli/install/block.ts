/** A marked block in a text file (TOML, Markdown): put in once, replaced in place, taken out without a trace. */

export interface Marks {
  readonly begin: string;
  readonly end: string;
}

export const HASH_MARKS: Marks = { begin: '# >>> sluice', end: '# <<< sluice' };
export const HTML_MARKS: Marks = { begin: '<!-- >>> sluice -->', end: '<!-- <<< sluice -->' };

/** The text with the block at its end, or with its former self replaced. */
export function putBlock(text: string, body: string, { begin, end }: Marks): string {
  const block = `${begin}\n${body.trim()}\n${end}`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from >= 0 && to > from) return text.slice(0, from) + block + text.slice(to + end.length);
  const gap = text === '' ? '' : text.endsWith('\n') ? '\n' : '\n\n';
  return `${text}${gap}${block}\n`;
}
