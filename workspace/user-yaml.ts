/** Changes single values in the user's YAML files; comments and everything else stay as they are. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { writeAtomic } from '../lib/vault/atomic-write.js';
import { ConfigError } from '../runner/errors.js';

/** Edits a file that may not exist yet. Throws `ConfigError` rather than write over YAML it cannot read. */
export async function editYaml(file: string, edit: (document: Document) => void, initial = ''): Promise<void> {
  const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : initial, { prettyErrors: false });
  const [error] = document.errors;
  if (error)
    throw new ConfigError('yaml', `${error.message}.`, { file, remedy: 'Fix the YAML first; nothing was written.' });
  edit(document);
  mkdirSync(dirname(file), { recursive: true });
  await writeAtomic(file, document.toString({ lineWidth: 0 }));
}
