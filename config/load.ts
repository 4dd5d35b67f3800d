/** Reads configuration: shipped file, then the user's file of the same name over it, key by key, then the schema. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isMap, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { packagePath } from '../lib/package-root.js';
import { ConfigError, ConfigErrors } from '../runner/errors.js';
import { configErrors, lineOf, substitute } from '../runner/yaml-config.js';

/** Names of the configuration files; the top-level key of each file is its name. */
export type ConfigName =
  | 'config'
  | 'sources'
  | 'scoring'
  | 'domains'
  | 'authority'
  | 'secrets'
  | 'blocks'
  | 'schedule'
  | 'models'
  | 'tracking-params';

/** Where the user's files are; all optional. */
export interface ConfigPlace {
  /** `<vault>/.pipeline`, or the folder of `--config`. */
  readonly userDir?: string | undefined;
  /** `--config FILE`: read instead of `<userDir>/config.yaml`. */
  readonly configFile?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface ReadFile {
  readonly file: string;
  readonly value: unknown;
  readonly node: Node | undefined;
  readonly lines: LineCounter;
  /** The value as its schema gave it, when the build has seen to that. */
  readonly checked?: unknown;
}

/** The user's file for a configuration name, whether it exists or not; undefined without a user folder. */
export function userConfigPath(name: ConfigName, place: ConfigPlace): string | undefined {
  if (name === 'config' && place.configFile) return place.configFile;
  return place.userDir === undefined ? undefined : join(place.userDir, `${name}.yaml`);
}

/**
 * Loads one configuration file.
 * @throws {ConfigErrors} with file, line and remedy for every finding.
 */
export function loadConfig<S extends z.ZodType>(name: ConfigName, schema: S, place: ConfigPlace): z.output<S> {
  const file = packagePath('config', name === 'config' ? 'default.yaml' : `${name}.yaml`);
  const shipped = readBuilt(file, name, place) ?? read(file, name, place);
  const path = userConfigPath(name, place);
  if (path !== undefined && path === place.configFile && !existsSync(path)) {
    throw new ConfigError('config-missing', 'The configuration file does not exist.', {
      file: path,
      remedy: 'Check --config.',
    });
  }
  const user = path !== undefined && existsSync(path) ? read(path, name, place) : undefined;
  if (!user && shipped.checked !== undefined) return shipped.checked as z.output<S>;
  const parsed = schema.safeParse(user ? mergeConfig(shipped.value, user.value) : shipped.value);
  if (parsed.success) return parsed.data;
  throw new ConfigErrors(
    configErrors(parsed.error, schema).map(({ code, message, path: at, remedy }) => {
      // The finding is the user's unless only the shipped file holds the key.
      const blamed =
        user && (lineOf(user.node, at.slice(0, 1), user.lines) !== undefined || at.length === 0) ? user : shipped;
      const line = lineOf(blamed.node, at, blamed.lines);
      return new ConfigError(code, message, {
        file: blamed.file,
        ...(line === undefined ? {} : { line }),
        ...(remedy === undefined ? {} : { remedy }),
      });
    }),
  );
}

/** What `npm run build` writes for each shipped file: its value, and the hash of the YAML it was made from. */
interface BuiltFile {
  readonly sha256: string;
  readonly value: unknown;
  readonly checked?: unknown;
}

/** Run from the sources, the schemas may be newer than the last build. */
const IS_BUILT = fileURLToPath(import.meta.url).startsWith(packagePath('dist') + sep);

/**
 * A shipped file as the build left it. Every command reads secrets.yaml, and parsing its 1,400 lines takes 60 ms on an
 * idle machine where the JSON takes 2; checking all shipped files takes another 60. Undefined when nothing was built or the YAML was changed since.
 */
function readBuilt(file: string, name: ConfigName, place: ConfigPlace): ReadFile | undefined {
  const built = packagePath('dist', 'config', `${name}.json`);
  if (!existsSync(built) || !existsSync(file)) return undefined;
  const { sha256, value, checked } = JSON.parse(readFileSync(built, 'utf8')) as BuiltFile;
  if (createHash('sha256').update(readFileSync(file)).digest('hex') !== sha256) return undefined;
  const found = { file, value: substituted(value, file, place), node: undefined, lines: new LineCounter() };
  return IS_BUILT && checked !== undefined ? { ...found, checked } : found;
}

function read(file: string, name: ConfigName, place: ConfigPlace): ReadFile {
  const lines = new LineCounter();
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new ConfigError('config-unreadable', 'The configuration file cannot be read.', {
      file,
      cause,
      remedy: 'Check its permissions.',
    });
  }
  const doc = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = doc.errors;
  if (error) {
    throw new ConfigError('yaml', `${error.message}.`, {
      file,
      line: lines.linePos(error.pos[0]).line,
      remedy: 'Fix the YAML at this line.',
    });
  }
  if (doc.contents === null) return { file, value: undefined, node: undefined, lines };
  const keys = isMap(doc.contents) ? doc.contents.items.map((p) => String(p.key)) : [];
  if (keys.length !== 1 || keys[0] !== name) {
    throw new ConfigError('config-shape', `The file must hold one top-level key, "${name}".`, {
      file,
      line: 1,
      remedy: `Put everything under \`${name}:\`.`,
    });
  }
  const node = (doc.get(name, true) ?? undefined) as Node | undefined;
  const plain = (doc.toJSON() as Record<string, unknown>)[name];
  const value = substituted(plain, file, place);
  return { file, value, node, lines };
}

function substituted(plain: unknown, file: string, place: ConfigPlace): unknown {
  return substitute(plain, place.env, (missing) => {
    throw new ConfigError('environment', `The environment variable ${missing} is not set.`, {
      file,
      remedy: `Set it, or give a default: \${${missing}:-value}.`,
    });
  });
}

/** The user's value over the shipped one: maps merge key by key, everything else (lists too) is replaced; null removes a key. */
export function mergeConfig(shipped: unknown, user: unknown): unknown {
  if (!isPlainMap(shipped) || !isPlainMap(user)) return user === undefined ? shipped : user;
  const merged: Record<string, unknown> = { ...shipped };
  for (const [key, value] of Object.entries(user)) {
    if (value === null) delete merged[key];
    else merged[key] = mergeConfig(shipped[key], value);
  }
  return merged;
}

function isPlainMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
