/** Adds and removes entries in a client's JSON (with comments) without touching another byte. */
import {
  applyEdits,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { ConfigError } from '../../runner/errors.js';

/** Indentation of a file, from its first indented line. */
function formatting(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}

/** @throws {ConfigError} when the file is not JSON, even with comments: it is then left alone. */
export function checkJson(text: string, file: string): void {
  const errors: ParseError[] = [];
  parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (!error) return;
  const line = text.slice(0, error.offset).split('\n').length;
  throw new ConfigError(
    'client-config',
    `The file is not valid JSON (${printParseErrorCode(error.error)}); it was not changed.`,
    { file, line, remedy: 'Mend it, then run the command again.' },
  );
}

/** Sets `path` to `value`; a value that is there already and equal changes nothing. */
export function setJson(text: string, path: JSONPath, value: unknown): string {
  const source = text.trim() === '' ? '{}\n' : text;
  const tree = parseTree(source);
  const known = tree && findNodeAtLocation(tree, path);
  if (known && JSON.stringify(valueAt(source, path)) === JSON.stringify(value)) return source;
  return applyEdits(source, modify(source, path, value, { formattingOptions: formatting(source) }));
}

export function valueAt(text: string, path: JSONPath): unknown {
  return path.reduce<unknown>(
    (at, key) => (at as Record<string | number, unknown> | undefined)?.[key],
    parse(text, [], { allowTrailingComma: true }),
  );
}
