/** Relative links made absolute, and only links a reader may follow. */

/** `value` against `base`; returned as written (trimmed) when there is no usable base or it is no URL. */
export function resolveUrl(value: string, base: string | undefined): string {
  const trimmed = value.trim();
  if (base === undefined) return trimmed;
  try {
    // The URL class also rewrites what is absolute already (`http://a.b` gets a slash); that is left alone.
    if (/^[a-z][a-z\d+.-]*:/i.test(trimmed)) return trimmed;
    return new URL(trimmed, base).href;
  } catch {
    return trimmed;
  }
}

/** True for http and https URLs with a host. */
export function isWebUrl(value: string | undefined): value is string {
  return value !== undefined && /^https?:\/\/[^\s/?#]/i.test(value.trim());
}
