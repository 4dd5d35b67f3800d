/** A note's bytes from its parts, and its parts' dates: one way to write YAML, so that equal notes are equal bytes. */
import { stringify } from 'yaml';

/** Frontmatter in the order given, an empty line, the body, one line end. */
export function noteText(frontmatter: Readonly<Record<string, unknown>>, body: string): string {
  const yaml = stringify(frontmatter, { lineWidth: 0 });
  return `---\n${yaml}---\n\n${body.trim()}\n`;
}

/** `YYYY-MM-DD` in UTC, the same on every machine. */
export function isoDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** Decodes a note without changing a byte's meaning; undefined when it is not UTF-8 and so not safe to write back. */
export function exactText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
