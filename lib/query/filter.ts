/** Metadata filters as a predicate: what the SQL of the stores must agree with, and what the memory store uses. */
import type { Filter, NoteMeta } from '../../runner/items.js';

const SENSITIVITIES = ['public', 'internal', 'private', 'secret'] as const;
export type Sensitivity = (typeof SENSITIVITIES)[number];

/** A note that says nothing about its sensitivity counts as this. */
export const DEFAULT_SENSITIVITY: Sensitivity = 'internal';

/** A count of 0 for each class. */
export function noneOfEach(): Record<Sensitivity, number> {
  return { public: 0, internal: 0, private: 0, secret: 0 };
}

/** The classes a surface with this ceiling may show. */
export function visibleSensitivities(ceiling: Sensitivity): readonly Sensitivity[] {
  return SENSITIVITIES.slice(0, SENSITIVITIES.indexOf(ceiling) + 1);
}

/** True when a note passes every condition of the filter. Dates compare as YYYY-MM-DD; a note without one fails. */
export function matchesFilter(path: string, meta: NoteMeta, filter: Filter): boolean {
  const oneOf = (value: string | undefined, wanted: readonly string[] | undefined): boolean =>
    !wanted || wanted.length === 0 || (value !== undefined && wanted.some((w) => same(w, value)));
  const within = (value: string | undefined, from: string | undefined, to: string | undefined): boolean =>
    (!from && !to) || (value !== undefined && (!from || value >= from) && (!to || value <= to));
  return (
    oneOf(meta.type, filter.type) &&
    oneOf(meta.domain, filter.domain) &&
    oneOf(meta.status, filter.status) &&
    (filter.tag ?? []).every((tag) => hasTag(meta.tags, tag)) &&
    inFolder(path, filter.folder) &&
    fromSource(meta.source, filter.source) &&
    within(meta.created, filter.createdFrom, filter.createdTo) &&
    within(meta.updated, filter.updatedFrom, filter.updatedTo) &&
    visibleSensitivities(filter.ceiling ?? 'secret').includes(meta.sensitivity ?? DEFAULT_SENSITIVITY)
  );
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function hasTag(tags: readonly string[], wanted: string): boolean {
  const key = wanted.replace(/^#/, '').toLowerCase();
  return tags.some((tag) => tag.toLowerCase() === key || tag.toLowerCase().startsWith(`${key}/`));
}

function inFolder(path: string, folders: readonly string[] | undefined): boolean {
  const wanted = (folders ?? []).map((folder) => folder.replace(/\/+$/, '')).filter((folder) => folder !== '');
  return wanted.length === 0 || wanted.some((folder) => path.startsWith(`${folder}/`));
}

/** A source is named in full, or a URL by its host. */
function fromSource(source: string | undefined, wanted: readonly string[] | undefined): boolean {
  if (!wanted || wanted.length === 0) return true;
  const value = source?.toLowerCase();
  return (
    value !== undefined && wanted.some((w) => value === w.toLowerCase() || value.includes(`://${w.toLowerCase()}/`))
  );
}
