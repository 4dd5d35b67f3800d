/** Newsletter links lead through the sender's counter; many carry their target in the address itself. */

/** Counters wrapped in counters are unwrapped this deep. */
const MAX_DEPTH = 3;

/** The target of a tracking link, when the link names it; else the link itself. Nothing is fetched. */
export function unwrapLink(link: string, depth = 0): string {
  if (depth >= MAX_DEPTH || !URL.canParse(link)) return link;
  const url = new URL(link);
  const target = targetIn(url);
  return target === undefined ? link : unwrapLink(target, depth + 1);
}

function targetIn(url: URL): string | undefined {
  for (const [name, value] of url.searchParams) {
    // A page that is told where it was linked from, or where to go afterwards, is itself the target.
    if (/^(?:ref|referr?er|source|origin|next|continue|return\w*|callback|canonical)$/i.test(name)) continue;
    const target = webAddress(value) ?? fromBase64(value);
    if (target !== undefined) return target;
  }
  for (const part of url.pathname.split('/').slice(1)) {
    const target = webAddress(decoded(part)) ?? fromBase64(part);
    if (target !== undefined) return target;
  }
  // `/click/https://example.org/page`: not encoded at all. Archives of pages are their own target.
  if (/archive\.(?:org|ph|is)$/.test(url.hostname)) return undefined;
  const plain = /\/(https?:\/\/.+)$/.exec(url.pathname)?.[1];
  return plain === undefined ? undefined : webAddress(plain + url.search);
}

function webAddress(text: string): string | undefined {
  return /^https?:\/\/[^/\s]+\.[^/\s]/i.test(text) && URL.canParse(text) ? new URL(text).href : undefined;
}

/** `aHR0c…` is `http…`; `eyJ…` is JSON, in which the first address is the target. */
function fromBase64(text: string): string | undefined {
  if (!/^(?:aHR0c|eyJ)[\w+/=-]{10,}/.test(text)) return undefined;
  const plain = Buffer.from(text, 'base64url').toString('utf8');
  const found = /https?:\/\/[^\s"'<>\\\0-\x1f\ufffd]+/.exec(plain)?.[0];
  return found === undefined ? undefined : webAddress(found);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
