/** Tags as Obsidian takes them: no spaces, no punctuation, not only digits. */

/** A feed with forty categories an item would drown the user's own tags. */
const MAX_TAGS = 10;

/** Clean, unique tags in their first order. */
export function cleanTags(tags: readonly string[]): string[] {
  const clean = tags.map((tag) =>
    tag
      .normalize('NFC')
      .trim()
      .toLowerCase()
      .replace(/^#+/, '')
      .replace(/c\+\+/g, 'cpp')
      .replace(/c#/g, 'csharp')
      .replace(/\.net\b/g, 'dotnet')
      .replace(/[^\p{L}\p{N}\p{M}_/]+/gu, '-')
      .replace(/-*\/+-*/g, '/')
      .replace(/^[-/]+|[-/]+$/g, ''),
  );
  return [...new Set(clean)]
    .filter((tag) => tag !== '' && !/^[\d/_-]+$/.test(tag) && tag.length <= 50)
    .slice(0, MAX_TAGS);
}
