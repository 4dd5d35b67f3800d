/** Gives an article everything it can be recognised by. */
import type { Article } from '../../runner/items.js';
import type { UrlCleaner } from './clean-url.js';
import { fingerprintOf, identitiesOf } from './identities.js';
import { storyKeys } from './same-story.js';

/** What may recognise an item: its ids, its address, its title within three days, nearly equal text. */
export type Means = 'guid' | 'url' | 'title' | 'text';

/** The article with its aliases, strongest first, and its fingerprint. */
export function identify(article: Article, urls: UrlCleaner, by: readonly Means[]): Article {
  const identities = identitiesOf(article, urls, by.includes('text')).filter(
    (identity) => !(['guid', 'url'] as const).some((kind) => identity.startsWith(kind) && !by.includes(kind)),
  );
  return {
    ...article,
    aliases: [...new Set([...identities, ...storyKeys(article, by), ...(article.aliases ?? [])])],
    fingerprint: article.fingerprint ?? fingerprintOf(article, urls),
  };
}
