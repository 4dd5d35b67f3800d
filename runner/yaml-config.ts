/** YAML details of loading: environment substitution, and zod findings translated into line, message and remedy. */
import { isMap, isScalar, isSeq, type LineCounter, type Node } from 'yaml';
import type { z } from 'zod';
import { suggest } from './errors.js';

const VARIABLE = /\$(\$)?\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in every string of a value; `$${NAME}` stays as `${NAME}`.
 * A variable that is unset and has no default is reported through `missing`.
 */
export function substitute(
  value: unknown,
  env: Readonly<Record<string, string | undefined>>,
  missing: (name: string) => void,
): unknown {
  if (typeof value === 'string') {
    return value.replace(VARIABLE, (whole, escaped: string | undefined, name: string, fallback: string | undefined) => {
      if (escaped) return whole.slice(1);
      const found = env[name];
      if (found !== undefined && found !== '') return found;
      if (fallback === undefined) missing(name);
      return fallback ?? '';
    });
  }
  if (Array.isArray(value)) return value.map((v) => substitute(v, env, missing));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, substitute(v, env, missing)]));
  }
  return value;
}

export interface ConfigFinding {
  readonly code: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly remedy?: string;
}

/** Zod issues as findings: unknown keys get the nearest known one. */
export function configErrors(error: z.ZodError, schema: z.ZodType): ConfigFinding[] {
  return error.issues.flatMap((issue): ConfigFinding[] => {
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, issue.path);
      return issue.keys.map((key) => ({
        code: 'unknown-key',
        message: `unknown key "${key}".`,
        path: [...issue.path, key],
        ...optionalRemedy(suggest(key, known)),
      }));
    }
    const at = issue.path.map(String).join('.');
    // A key of a record that breaks its rule: the rule's own words say more than "invalid key".
    const what = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
    return [{ code: 'bad-value', message: `${at ? `${at}: ` : ''}${what.replace(/\.?$/, '.')}`, path: issue.path }];
  });
}

function optionalRemedy(remedy: string): { remedy?: string } {
  return remedy === '' ? {} : { remedy };
}

/** The keys an object schema knows at a path, unwrapping defaults and optionals. */
function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = schema;
  for (const key of [...path, undefined]) {
    at = unwrap(at);
    const shape = (at as { shape?: Record<string, unknown> } | undefined)?.shape;
    if (key === undefined) return shape ? Object.keys(shape) : [];
    at = shape?.[String(key)] ?? (at as { element?: unknown } | undefined)?.element;
  }
  return [];
}

function unwrap(schema: unknown): unknown {
  let at = schema as
    | { shape?: unknown; unwrap?: () => unknown; def?: { innerType?: unknown; in?: unknown } }
    | undefined;
  for (let depth = 0; at && !at.shape && depth < 8; depth++) {
    const inner = at.def?.innerType ?? at.def?.in;
    if (!inner) break;
    at = inner as typeof at;
  }
  return at;
}

/** 1-based line of the key or item at `path` below `node`; undefined when it is not written in the file. */
export function lineOf(node: Node | undefined, path: readonly PropertyKey[], lines: LineCounter): number | undefined {
  let at: unknown = node;
  let range = node?.range;
  for (const key of path) {
    if (isMap(at)) {
      const pair = at.items.find((p) => isScalar(p.key) && String(p.key.value) === String(key));
      if (!pair) break;
      range = (pair.key as Node).range;
      at = pair.value;
    } else if (isSeq(at)) {
      const item = at.items[Number(key)] as Node | undefined;
      range = item?.range;
      at = item;
    } else break;
  }
  return range ? lines.linePos(range[0]).line : undefined;
}
