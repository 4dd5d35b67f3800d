/** File names from titles: readable, and legal on Windows, macOS, Linux, in Obsidian links and in sync services. */

/** Bytes of UTF-8 without the extension: encrypted file systems and sync services allow little more than 140 with it. */
const MAX_BYTES = 120;
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=$|\.)/i;

/**
 * A file name with `.md`. The same title always gives the same name.
 * Characters no file system or wiki link takes become spaces; a colon between words becomes a dash.
 */
export function fileNameFor(title: string): string {
  const readable = title
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, (mark) => (mark === '\u200d' ? mark : ' '))
    .replace(/\s*[:：]\s+/g, ' - ')
    .replace(/[\\/|]/g, '-')
    .replace(/["“”]/g, "'")
    .replace(/[<>:?*#^[\]]/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.~-]+/, '');
  const short = cut(readable).replace(/[\s.-]+$/, '');
  const name = short === '' ? 'Untitled' : short;
  return `${RESERVED.test(name) ? `_${name}` : name}.md`;
}

/** The same name made different by a short mark, for a second note of one title. */
export function withMark(fileName: string, mark: string): string {
  return `${fileName.slice(0, -'.md'.length)} (${mark}).md`;
}

/** How file systems that ignore case and Unicode form compare paths. */
export function foldedPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** At most MAX_BYTES, at a word where there is one, never inside a character. */
function cut(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text;
  let bytes = 0;
  let end = 0;
  for (const { segment, index } of new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > MAX_BYTES) break;
    end = index + segment.length;
  }
  const space = text.lastIndexOf(' ', end);
  return text.slice(0, space > end / 2 ? space : end);
}
