/** How far a note may be shown: its class from its folder and from its frontmatter, whichever is stricter. */
import { createHash } from 'node:crypto';
import ignore, { type Ignore } from 'ignore';
import { type Sensitivity, visibleSensitivities } from '../query/filter.js';

export interface SensitivitySettings {
  /** Class of a note that says nothing and lies under no pattern. */
  readonly default: Sensitivity;
  /** Class by path pattern in .gitignore syntax. */
  readonly paths: Readonly<Record<string, Sensitivity>>;
}

export interface Classifier {
  /** Changes with the settings: notes indexed under others have to be read again. */
  readonly fingerprint: string;
  /** `own` is what the note's frontmatter says. */
  classOf(path: string, own: Sensitivity | undefined): Sensitivity;
}

declare module '../../runner/resources.js' {
  interface ResourceTypes {
    classifier: Classifier;
  }
}

/**
 * A folder's class is a floor: a note in `private/` cannot make itself public, because what a template or an agent
 * writes into frontmatter must not open what the vault's owner closed.
 */
export function createClassifier(settings: SensitivitySettings): Classifier {
  const rules = Object.entries(settings.paths).map(([pattern, level]): [Ignore, Sensitivity] => [
    ignore({ ignorecase: false }).add(pattern),
    level,
  ]);
  return {
    fingerprint: createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16),
    classOf(path, own) {
      const floors = rules.filter(([rule]) => rule.ignores(path)).map(([, level]) => level);
      const said = own ?? (floors.length === 0 ? settings.default : undefined);
      return strictest(said === undefined ? floors : [...floors, said]);
    },
  };
}

function strictest(levels: readonly Sensitivity[]): Sensitivity {
  return levels.reduce((a, b) => (visibleSensitivities(a).length >= visibleSensitivities(b).length ? a : b), 'public');
}
