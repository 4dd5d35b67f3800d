/** Moves an agent's note into the vault proper: the mark of an unreviewed note goes, the rest of its bytes stay. */
import { setFrontmatterKey } from '../lib/vault/frontmatter.js';
import { ConfigError } from '../runner/errors.js';
import { AGENT_FOLDER } from './capture.js';
import type { Workspace } from './workspace.js';

/**
 * @returns the new vault-relative path.
 * @throws {ConfigError} when the note is not an agent's, or the target exists.
 */
export async function promote(workspace: Workspace, file: string, folder: string): Promise<string> {
  const vault = await workspace.resources.use('vault');
  const from = file.replace(/^\.?\//, '');
  const to = `${folder.replace(/\/+$/, '')}/${from.split('/').at(-1) ?? ''}`;
  if (!from.startsWith(`${AGENT_FOLDER}/`))
    throw new ConfigError('promote', `${from} is not below ${AGENT_FOLDER}/.`, {
      remedy: `Only notes of agents are promoted; they lie in ${AGENT_FOLDER}/.`,
    });
  if (!(await vault.exists(from)))
    throw new ConfigError('promote', `${from} does not exist.`, { remedy: `See \`ls ${AGENT_FOLDER}\`.` });
  if (await vault.exists(to))
    throw new ConfigError('promote', `${to} exists already.`, { remedy: 'Choose another folder with --to.' });
  const text = new TextDecoder().decode(await vault.read(from));
  const reviewed = setFrontmatterKey(text, 'reviewed', true) ?? text;
  await vault.write(from, setFrontmatterKey(reviewed, 'status', 'active') ?? reviewed);
  await vault.rename(from, to);
  await workspace.run('index');
  return to;
}
