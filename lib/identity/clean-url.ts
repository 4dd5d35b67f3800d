/** One address for one page: what trackers, share buttons and redirectors add is taken off again. */

export interface UrlRules {
  /** Parameter names; `*` at the end matches any rest. */
  readonly everywhere: readonly string[];
  readonly hosts: Readonly<Record<string, readonly string[]>>;
  readonly redirectors: readonly {
    readonly host: string;
    readonly path: string;
    readonly parameters: readonly string[];
  }[];
  readonly fragments: readonly string[];
}

export interface UrlCleaner {
  /** The canonical form, still fit for fetching; undefined when the text is no http(s) URL. */
  clean(url: string): string | undefined;
  /** What two addresses of one page have in common: scheme, `www.`, a last slash and parameter order do not count. */
  key(url: string): string | undefined;
}

/** Redirectors wrapped in redirectors are unwrapped this deep. */
const MAX_UNWRAP = 5;

/** Compiles the rules once. */
export function createUrlCleaner(rules: UrlRules): UrlCleaner {
  const everywhere = matcher(rules.everywhere);
  const hosts = new Map(Object.entries(rules.hosts).map(([host, names]) => [host.toLowerCase(), matcher(names)]));
  const fragment = matcher(rules.fragments);

  const noiseOn = (host: string): ((name: string) => boolean) => {
    const own = domainsOf(host).flatMap((domain) => hosts.get(domain) ?? []);
    return (name) => everywhere(name) || own.some((matches) => matches(name));
  };

  const unwrap = (url: URL): URL => {
    let current = url;
    for (let round = 0; round < MAX_UNWRAP; round++) {
      const target = targetOf(current, rules.redirectors);
      if (!target) break;
      current = target;
    }
    return current;
  };

  const clean = (text: string): URL | undefined => {
    const parsed = webUrl(text);
    if (!parsed) return undefined;
    const url = unwrap(parsed);
    // Credentials have no place in a note, and a trailing dot names the same host.
    url.username = '';
    url.password = '';
    url.hostname = url.hostname.replace(/\.$/, '');
    stripQuery(url, noiseOn(url.hostname));
    if (url.hash !== '' && (url.hash === '#' || fragment(decode(url.hash.slice(1))))) url.hash = '';
    return url;
  };

  return {
    clean: (text) => clean(text)?.href,
    key(text) {
      const url = clean(text);
      if (!url) return undefined;
      url.searchParams.sort();
      const path = url.pathname.replace(/\/+$/, '');
      return `${url.host.replace(/^www\./, '')}${path}${url.search}${url.hash}`;
    },
  };
}

function webUrl(text: string): URL | undefined {
  try {
    const url = new URL(text.trim());
    return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
  } catch {
    return undefined;
  }
}

/** Removes noise without touching how the remaining parameters are written: some servers care. */
function stripQuery(url: URL, isNoise: (name: string) => boolean): void {
  if (url.search === '') return;
  const kept = url.search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '' && !isNoise(decode(pair.split('=', 1)[0] ?? '')));
  url.search = kept.length === 0 ? '' : `?${kept.join('&')}`;
}

function targetOf(url: URL, redirectors: UrlRules['redirectors']): URL | undefined {
  for (const { host, path, parameters } of redirectors) {
    if (!domainsOf(url.hostname).includes(host) || !url.pathname.startsWith(path)) continue;
    if (path === '/' && url.pathname !== '/') continue;
    for (const name of parameters) {
      const target = webUrl(url.searchParams.get(name) ?? '');
      if (target) return target;
    }
  }
  return undefined;
}

/** `a.b.example.com` -> itself, `b.example.com`, `example.com`. */
function domainsOf(host: string): string[] {
  const labels = host.toLowerCase().split('.');
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'));
}

function matcher(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns.map((one) => one.toLowerCase())) {
    if (pattern.endsWith('*')) prefixes.push(pattern.slice(0, -1));
    else exact.add(pattern);
  }
  return (name) => {
    const lower = name.toLowerCase();
    return exact.has(lower) || prefixes.some((prefix) => lower.startsWith(prefix));
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
