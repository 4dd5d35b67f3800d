/** Comma, semicolon or tab separated values (RFC 4180), read leniently. */

/** Rows of fields; the separator is the one the first line uses most. Empty lines are left out. */
export function parseCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, '');
  const first = /^[^\r\n]*/.exec(source)?.[0] ?? '';
  const separator = [',', ';', '\t'].sort((a, b) => first.split(b).length - first.split(a).length)[0] ?? ',';
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let quoted = false;
  const endRow = (): void => {
    row.push(field);
    if (row.length > 1 || field !== '') rows.push(row);
    row = [];
    field = '';
  };
  for (let at = 0; at < source.length; at++) {
    const char = source[at] ?? '';
    if (quoted) {
      if (char !== '"') field += char;
      else if (source[at + 1] === '"') {
        field += '"';
        at++;
      } else quoted = false;
    } else if (char === '"' && field === '') quoted = true;
    else if (char === separator) {
      row.push(field);
      field = '';
    } else if (char === '\n') endRow();
    else if (char !== '\r') field += char;
  }
  endRow();
  return rows;
}
