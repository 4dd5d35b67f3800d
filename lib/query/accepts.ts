/** Holds a candidate to what the query demands: quoted phrases must be there, excluded terms must not. */
import type { Hit } from '../../runner/items.js';
import { analyse, occurrences } from '../ranking/lexical.js';
import type { TextQuery } from './text-query.js';

/** True when the query demands nothing, so that nothing needs checking. */
export function acceptsAll(query: TextQuery): boolean {
  return query.excluded.length === 0 && query.wanted.every((term) => term.kind !== 'phrase');
}

/**
 * The keyword index applies these demands itself; this is for the vector leg, where `memory -sports` would otherwise
 * bring the notes on sports back in.
 */
export function accepts(query: TextQuery, { text, section, path, meta }: Hit): boolean {
  const context = [meta.title, ...meta.tags, meta.type ?? '', meta.domain ?? ''].join('\n');
  const candidate = analyse(
    [text, section, context, path].map((field) => ({ text: field, weight: 1 })),
    query.stemmer,
  );
  return (
    query.wanted.every((term) => term.kind !== 'phrase' || occurrences(candidate, term) > 0) &&
    query.excluded.every((term) => occurrences(candidate, term) === 0)
  );
}
