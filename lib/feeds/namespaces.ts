/** Namespaces met in feeds, by the prefix everybody uses for them: a feed may bind any other prefix to them. */

const PREFIXES: Readonly<Record<string, string>> = {
  'backend.userland.com/rss': '',
  'backend.userland.com/rss2': '',
  'blogs.law.harvard.edu/tech/rss': '',
  'cyber.law.harvard.edu/rss': '',
  'cyber.law.harvard.edu/rss/rss.html': '',
  'purl.org/rss/1.0': '',
  'my.netscape.com/rdf/simple/0.9': '',
  'my.netscape.com/publish/formats/rss-0.91.dtd': '',
  'purl.org/net/rss1.1': '',
  'channel.netscape.com/rdf/simple/0.9': '',
  'www.microsoft.com/standards/channels.dtd': '',
  'www.w3.org/2005/atom': 'atom',
  'purl.org/atom/ns': 'atom',
  'example.com/newformat': 'atom',
  'example.com/necho': 'atom',
  'purl.org/echo': 'atom',
  'uri/of/echo/namespace': 'atom',
  'purl.org/pie': 'atom',
  'purl.org/dc/elements/1.1': 'dc',
  'purl.org/dc/elements/1.0': 'dc',
  'purl.org/dc/terms': 'dcterms',
  'purl.org/rss/1.0/modules/content': 'content',
  'www.w3.org/1999/xhtml': 'xhtml',
  'www.w3.org/1999/02/22-rdf-syntax-ns': 'rdf',
  'search.yahoo.com/mrss': 'media',
  'video.search.yahoo.com/mrss': 'media',
  'www.itunes.com/dtds/podcast-1.0.dtd': 'itunes',
  'example.com/dtds/podcast-1.0.dtd': 'itunes',
  'www.w3.org/xml/1998/namespace': 'xml',
  'rssnamespace.org/feedburner/ext/1.0': 'feedburner',
  'purl.org/syndication/thread/1.0': 'thr',
  'wellformedweb.org/commentapi': 'wfw',
  'purl.org/rss/1.0/modules/slash': 'slash',
  'purl.org/rss/1.0/modules/syndication': 'sy',
  'a9.com/-/spec/opensearch/1.1': 'opensearch',
  'rss.slashdot.org/slashdot': '',
};

/**
 * The usual prefix for a namespace, '' for the RSS vocabulary. A namespace that is not known keeps the document's own
 * prefix, so `dc:` works even where nobody declared it, and an unknown default namespace counts as none.
 */
export function canonicalPrefix(prefix: string, uri: string | undefined): string {
  if (uri === undefined) return prefix;
  const key = uri
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .replace(/[/#]+$/, '');
  return Object.hasOwn(PREFIXES, key) ? (PREFIXES[key] ?? prefix) : prefix;
}
