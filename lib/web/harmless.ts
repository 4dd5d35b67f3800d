/**
 * Which fragments are converted where they are. Handing one to a thread and waking it costs more than the 0.7 ms an
 * ordinary one takes; a hostile one belongs in a thread that can be stopped. Of 16 KiB the worst flat text takes 0.1 s,
 * while nesting costs the square of its depth and more: `<ul><li>` without an end takes 25 s.
 */

const MAX_CHARS = 16 * 1024;
const MAX_DEPTH = 64;
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));

/** True for short, flat HTML. An end tag counts only for an element that is open: any other would hide a depth. */
export function isHarmless(html: string): boolean {
  if (html.length > MAX_CHARS) return false;
  const open = new Map<string, number>();
  let depth = 0;
  for (const [, slash, tag = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
    const name = tag.toLowerCase();
    if (VOID.has(name)) continue;
    const count = open.get(name) ?? 0;
    if (slash === '') {
      open.set(name, count + 1);
      if (++depth > MAX_DEPTH) return false;
    } else if (count > 0) {
      open.set(name, count - 1);
      depth--;
    }
  }
  return true;
}
