/** Reads the values of a Kubernetes Secret manifest without parsing YAML: notes hold fragments, templates and comments. */

export interface Manifest {
  readonly values: readonly (readonly [start: number, end: number])[];
  readonly end: number;
}

/** How far a manifest reaches at most, each way from `kind: Secret`. */
const REACH = 16_384;
const KIND = /[ \t]{0,8}["']?secret["']?[ \t]{0,40}(?:\r?\n|$)/iy;
const DATA = /^[ \t]*["']?(?:stringData|data)["']?:[ \t]*(?:#.*)?$/;
const ENTRY = /^[ \t]+["']?[\w.-]{1,253}["']?:[ \t]*(["']?)([^\s"'{}#|>][^\s"'{}#]{9,})\1/;
/** `name: |`: the value is the deeper lines that follow. */
const BLOCK_ENTRY = /^[ \t]+["']?[\w.-]{1,253}["']?:[ \t]*[|>][+-]?[ \t]*$/;

/** The manifest around a `kind:` that ends at `at`; undefined when it is not a Secret. */
export function secretManifest(text: string, at: number): Manifest | undefined {
  KIND.lastIndex = at;
  if (!KIND.test(text)) return undefined;
  const from = Math.max(0, at - REACH, text.slice(Math.max(0, at - REACH), at).lastIndexOf('\n---') + at - REACH + 1);
  const reach = text.slice(at, at + REACH);
  const cut = reach.indexOf('\n---');
  const end = at + (cut < 0 ? reach.length : cut);
  const values: [number, number][] = [];
  let offset = from;
  let dataIndent: number | undefined;
  let blockIndent: number | undefined;
  for (const raw of text.slice(from, end).split('\n')) {
    const line = raw.trimEnd();
    const indent = line.length - line.trimStart().length;
    if (line !== '' && !line.trimStart().startsWith('#')) {
      if (blockIndent !== undefined && indent <= blockIndent) blockIndent = undefined;
      if (dataIndent !== undefined && indent <= dataIndent) dataIndent = undefined;
      if (dataIndent === undefined) {
        if (DATA.test(line)) dataIndent = indent;
      } else if (blockIndent !== undefined) values.push([offset + indent, offset + line.length]);
      else if (BLOCK_ENTRY.test(line)) blockIndent = indent;
      else {
        const entry = ENTRY.exec(line);
        const value = entry?.[2];
        if (entry && value !== undefined) {
          const start = offset + entry[0].length - value.length - (entry[1]?.length ?? 0);
          values.push([start, start + value.length]);
        }
      }
    }
    offset += raw.length + 1;
  }
  return { values, end };
}
