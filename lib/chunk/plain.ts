/** A line of inline Markdown as a reader sees it: for titles and section names. */

/** `**Bold** [[note|alias]] [text](url) `code` ^id` -> `Bold alias text code`. */
export function plainInline(text: string): string {
  return text
    .replace(/\s\^[\w-]+\s*$/, '')
    .replace(
      /!?\[\[([^\]|#]*)(?:#[^\]|]*)?(?:\|([^\]]*))?\]\]/g,
      (_, target: string, alias?: string) => alias ?? target,
    )
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/(\*\*|__|~~|==|`)(.+?)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}])([*_])(\S(?:.*?\S)?)\1(?![\p{L}\p{N}])/gu, '$2')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim();
}
