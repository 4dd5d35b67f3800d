/** Which paths of a vault nobody may see: `.indexignore` in .gitignore syntax, and a few folders that are never notes. */
import ignore from 'ignore';

/** Name of the rules file at the vault's root. */
export const IGNORE_FILE = '.indexignore';

/**
 * Always hidden: version control, application state, trash and our own settings. The first rule covers all dot-files
 * at once; a vault cannot open it again because `.pipeline/` may hold tokens.
 */
const BUILT_IN = ['.*', 'node_modules/'];

export interface IgnoreRules {
  /** True when a file at this path is hidden, by itself or through a folder above it. */
  hides(path: string): boolean;
  /** The same for a folder (a trailing slash is added: `drafts/` hides folders only). */
  hidesFolder(path: string): boolean;
}

/** Builds the rules from the text of `.indexignore`; an empty text leaves the built-in ones. */
export function ignoreRules(text: string): IgnoreRules {
  const builtIn = ignore().add(BUILT_IN);
  const own = ignore({ ignorecase: false }).add(text);
  const hides = (path: string): boolean => path !== '' && path !== '/' && (builtIn.ignores(path) || own.ignores(path));
  return { hides, hidesFolder: (path) => hides(`${path}/`) };
}
