/** Scrubs JSON-like values: what pipelines carry and surfaces print. */
import type { Scrubbed } from './types.js';

/** Longest key that can name a secret; longer ones are data. */
const MAX_NAME = 80;

/**
 * Scrubs every string in arrays, plain objects, maps, sets and errors. A short string under a key is judged together
 * with the key, as `key: "value"` would be in a file. Unchanged parts keep their identity.
 */
export function scrubValue<T>(value: T, scrub: (text: string) => Scrubbed, onFinding?: (pattern: string) => void): T {
  const seen = new Map<object, unknown>();

  const text = (input: string): string => {
    const result = scrub(input);
    if (onFinding) for (const finding of result.findings) onFinding(finding.pattern);
    return result.text;
  };

  const underKey = (key: string, input: string): string => {
    const scrubbed = text(input);
    if (scrubbed !== input || key.length > MAX_NAME || input.length > 320 || /[\s"\\]/.test(input)) return scrubbed;
    const prefix = `${key}: "`;
    const { text: assigned, findings } = scrub(`${prefix}${input}"`);
    const [finding] = findings;
    if (!finding || finding.start < prefix.length) return input;
    onFinding?.(finding.pattern);
    return assigned.slice(prefix.length, -1);
  };

  const visit = (input: unknown, key: string | undefined): unknown => {
    if (typeof input === 'string') return key === undefined ? text(input) : underKey(key, input);
    if (typeof input !== 'object' || input === null || ArrayBuffer.isView(input)) return input;
    if (seen.has(input)) return seen.get(input);
    seen.set(input, input);
    const result = rebuild(input);
    seen.set(input, result);
    return result;
  };

  const rebuild = (input: object): unknown => {
    if (Array.isArray(input)) {
      const items = input.map((item: unknown) => visit(item, undefined));
      return items.every((item, i) => item === input[i]) ? input : items;
    }
    if (input instanceof Map) return new Map([...input].map(([k, v]) => [visit(k, undefined), visit(v, String(k))]));
    if (input instanceof Set) return new Set([...input].map((v) => visit(v, undefined)));
    if (input instanceof Error) return scrubError(input);
    const prototype: unknown = Object.getPrototypeOf(input);
    if (prototype !== Object.prototype && prototype !== null) return input;
    const entries = Object.entries(input);
    const scrubbed = entries.map(([k, v]) => [text(k), visit(v, k)] as const);
    return scrubbed.every(([k, v], i) => k === entries[i]?.[0] && v === entries[i]?.[1])
      ? input
      : Object.fromEntries(scrubbed);
  };

  /** An error of the same class with message, stack, cause and own fields scrubbed. */
  const scrubError = (input: Error): Error => {
    const copy: unknown = Object.create(Object.getPrototypeOf(input) as object);
    if (!(copy instanceof Error)) return input;
    let changed = false;
    for (const name of Object.getOwnPropertyNames(input)) {
      const before: unknown = Reflect.get(input, name);
      const after = visit(before, name);
      changed ||= after !== before;
      const enumerable = Object.prototype.propertyIsEnumerable.call(input, name);
      Object.defineProperty(copy, name, { value: after, enumerable, writable: true, configurable: true });
    }
    return changed ? copy : input;
  };

  return visit(value, undefined) as T;
}
