/** Which paths of a vault nobody may see: `.indexignore` in .gitignore syntax, and a few folders that are never notes. */
import ignore from 'ignore';

/** Name of the rules file at the vault's root. */
export const IGNORE_FILE = '.indexignore';

/**
 * Always hidden: version control, application state, trash and our own settings, hence all dot-files; and node_modules.
 * A vault cannot open them again because `.pipeline/` may hold tokens. Matched by hand: as gitignore rules these two
 * took a tenth of a run that finds nothing new in 17,000 notes.
 */
const BUILT_IN = /(?:^|\/)(?:\.|node_modules\/)/;

export interface IgnoreRules {
  /** True when a file at this path is hidden, by itself or through a folder above it. */
  hides(path: string): boolean;
  /** The same for a folder (a trailing slash is added: `drafts/` hides folders only). */
  hidesFolder(path: string): boolean;
}

/** Builds the rules from the text of `.indexignore`; an empty text leaves the built-in ones. */
export function ignoreRules(text: string): IgnoreRules {
  const own = text.trim() === '' ? undefined : ignore({ ignorecase: false }).add(text);
  const hides = (path: string): boolean =>
    path !== '' && path !== '/' && (BUILT_IN.test(path) || (own?.ignores(path) ?? false));
  return { hides, hidesFolder: (path) => hides(`${path}/`) };
}
