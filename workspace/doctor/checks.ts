/** The checks of `pipeline doctor` that look at the machine and the vault. Each one is a question with a remedy. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { vaultChanges } from '../../lib/vault/changes.js';
import { IGNORE_FILE } from '../../lib/vault/ignore-rules.js';
import { describeError, messageOf, PipelineError } from '../../runner/errors.js';
import { silentDays, sourceHealth } from '../../store/source-state.js';
import { lockHolder } from '../../store/sqlite/lock.js';
import { listPipelines } from '../pipelines.js';
import type { Workspace } from '../workspace.js';

/** Field names are those of `doctor --json` (CLI.md). Empty strings where nothing is wrong. */
export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly symptom: string;
  readonly cause: string;
  readonly fix: string;
  /** True when `--fix` did it. */
  readonly fixed?: boolean;
}

/** Names shown of a list that may be long. */
const SHOWN = 5;

export const fine = (check: string, symptom = ''): Finding => ({ check, ok: true, symptom, cause: '', fix: '' });
export const bad = (check: string, symptom: string, cause: string, fix: string): Finding => ({
  check,
  ok: false,
  symptom,
  cause,
  fix,
});

/** Less free disk than this and an index run may not finish. Bytes. */
const LOW_DISK = 200 * 1024 * 1024;

export async function checkVault({ resources, vaultDir }: Workspace): Promise<Finding[]> {
  try {
    const vault = await resources.use('vault');
    const nothing: AsyncIterable<never> = {
      [Symbol.asyncIterator]: () => ({ next: async () => ({ done: true, value: undefined }) }),
    };
    const { added, problems, conflicts } = await vaultChanges(vault, nothing, () => 'stat');
    const [problem] = problems;
    return [
      added.size > 0
        ? fine('vault', `${added.size} notes in ${vaultDir}`)
        : bad(
            'vault',
            `${vaultDir} holds no Markdown files.`,
            'It is empty, not mounted, or hidden by .indexignore.',
            'Mount or sync it, or name another folder with --vault.',
          ),
      problem === undefined
        ? fine('readable')
        : bad(
            'readable',
            `${problem[0]} ${problem[1]}${problems.size > 1 ? ` (and ${problems.size - 1} more)` : ''}.`,
            'Permissions, or a link out of the vault.',
            'Make it readable, or list it in .indexignore.',
          ),
      conflicts.length === 0
        ? fine('sync-conflicts')
        : bad(
            'sync-conflicts',
            `${conflicts.length} sync-conflict copies, e.g. ${conflicts[0]}.`,
            'Two machines changed a note at once.',
            'Merge each copy into its note and delete it; until then it is not searched.',
          ),
      fine(
        'indexignore',
        existsSync(`${vaultDir}/${IGNORE_FILE}`) ? '' : `there is no ${IGNORE_FILE}: every note is searchable`,
      ),
    ];
  } catch (error) {
    return [bad('vault', messageOf(error), 'It is not mounted, or you may not read it.', remedyOf(error))];
  }
}

export async function checkPipelines(workspace: Workspace): Promise<Finding[]> {
  const broken: string[] = [];
  for (const name of listPipelines(workspace.userDir).keys()) {
    try {
      workspace.plan(name);
    } catch (error) {
      broken.push(describeError(error));
    }
  }
  return [
    broken.length === 0
      ? fine('config')
      : bad(
          'config',
          broken[0] ?? '',
          `${broken.length} pipeline file(s) cannot be loaded.`,
          'Run `pipeline check` and correct what it names.',
        ),
  ];
}

export function checkDisk({ dbFile }: Workspace): Finding[] {
  const folder = dirname(dbFile);
  if (!existsSync(folder)) return [fine('disk')];
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const findings =
    free >= LOW_DISK
      ? [fine('disk', `${Math.floor(free / 1e6)} MB free`)]
      : [
          bad(
            'disk',
            `${Math.floor(free / 1e6)} MB are free in ${folder}.`,
            'The disk is nearly full.',
            'Free some space, or put the index elsewhere with --db.',
          ),
        ];
  try {
    accessSync(folder, constants.W_OK);
  } catch {
    findings.push(
      bad(
        'writable',
        `${folder} cannot be written.`,
        'Permissions, or a read-only disk.',
        'Change its permissions, or use --db.',
      ),
    );
  }
  return findings;
}

export function checkLock({ dbFile }: Workspace): Finding[] {
  const holder = existsSync(`${dbFile}.lock`) ? lockHolder(dbFile) : undefined;
  if (!holder) return [fine('lock')];
  return [fine('lock', `process ${holder.pid} (${holder.command}) writes since ${holder.started}`)];
}

export async function checkModel({ resources, settings }: Workspace): Promise<Finding[]> {
  try {
    const { id, dimensions } = await resources.use('embedder');
    return [fine('model', `${id}, ${dimensions} dimensions`)];
  } catch (error) {
    if (settings.embed.model === 'none') return [fine('model', 'none is configured: search is by keyword only')];
    return [bad('model', messageOf(error), 'Search goes on with keywords only.', remedyOf(error))];
  }
}

/** Sources that fail again and again are a fault; silent ones may just have nothing to say, so they are only named. */
export async function checkSources({ resources, settings, clock }: Workspace): Promise<Finding[]> {
  try {
    const [sources, ledger] = await Promise.all([resources.use('sources'), resources.use('ledger')]);
    const failing: string[] = [];
    const silent: string[] = [];
    for (const { name, enabled } of await sources.list()) {
      if (!enabled) continue;
      const state = await ledger.sourceState(name);
      const health = sourceHealth(state, settings.sources, clock.now());
      if (health === 'failing') failing.push(`${name}: ${state?.lastError ?? 'failed'}`);
      if (health === 'silent') silent.push(`${name} (${silentDays(state, clock.now())} days)`);
    }
    return [
      failing.length === 0
        ? fine('sources')
        : bad(
            'sources',
            `${failing.length} source(s) fail, e.g. ${failing[0]}.`,
            `Their last ${settings.sources.failingAfter} fetches or more went wrong.`,
            'See `pipeline sources list`; try one with `pipeline sources test NAME`.',
          ),
      ...(silent.length === 0 ? [] : [fine('silent-sources', `nothing new from ${namesOf(silent)}`)]),
    ];
  } catch (error) {
    // Before the first intake run there is no ledger, which is no fault.
    if (error instanceof PipelineError && ['ledger-missing', 'store-missing'].includes(error.code))
      return [fine('sources', 'never fetched')];
    return [bad('sources', messageOf(error), 'The sources or the ledger cannot be read.', remedyOf(error))];
  }
}

/** The first few of a list. */
function namesOf(list: readonly string[]): string {
  const more = list.length > SHOWN ? ` and ${list.length - SHOWN} more` : '';
  return list.slice(0, SHOWN).join(', ') + more;
}

export function remedyOf(error: unknown): string {
  return (error instanceof PipelineError ? error.remedy : undefined) ?? 'Run the command again with --verbose.';
}
