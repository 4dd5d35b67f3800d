/** One opened vault: settings, resources and plans, shared by every command, the MCP server, hooks and schedule. */
import { createHash } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { type ConfigName, type ConfigPlace, loadConfig } from '../config/load.js';
import { type Settings, settingsSchema } from '../config/schema.js';
import { customStageNames, withCustomStages } from '../runner/custom.js';
import { ConfigError } from '../runner/errors.js';
import type { Item, Kind } from '../runner/items.js';
import { type LoadOptions, loadPipeline } from '../runner/load.js';
import type { Observer, RunReport, RunResult } from '../runner/observe.js';
import type { Plan } from '../runner/plan.js';
import {
  type Clock,
  createResources,
  type ResourceFactories,
  type Resources,
  systemClock,
} from '../runner/resources.js';
import { type RunOptions, runPlan } from '../runner/run.js';
import type { StageRegistry } from '../runner/stage.js';
import { registry as shippedStages } from '../stages/index.js';
import { ledgerObserver } from './ledger-observer.js';
import { readPipelineSource } from './pipelines.js';
import { resourceFactories } from './resources.js';
import { isOnServer } from './server.js';
import { stateFolder } from './state-folder.js';
import { isTrusted } from './trust.js';
import { withWriterLock, writesIndex } from './writer-lock.js';

export interface WorkspaceOptions {
  /** Vault folder; default: the nearest folder upwards of `cwd` that holds `.pipeline` or `.obsidian`. */
  readonly vault?: string | undefined;
  /** Index file; default: in the platform's state folder, never inside the vault. */
  readonly db?: string | undefined;
  /** Settings file instead of `<vault>/.pipeline/config.yaml`; its folder holds the other files. */
  readonly config?: string | undefined;
  readonly offline?: boolean | undefined;
  /** Readers open the index read-only and never wait for a writer. */
  readonly readOnly?: boolean | undefined;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock?: Clock;
  /** Replace resources, e.g. in tests. */
  readonly resources?: ResourceFactories;
  readonly stateDir?: string;
}

/** Where everything of one vault is. Absolute paths. */
export interface Places {
  readonly vaultDir: string;
  readonly userDir: string;
  readonly stateDir: string;
  readonly dbFile: string;
  /** Beside the index, but not derived: deleting the index never loses it. */
  readonly ledgerFile: string;
}

export type RunRequest = Omit<RunOptions, 'resources' | 'clock'> & {
  readonly overrides?: readonly string[];
  /** Also run the pipelines named in `then` (default true for batch pipelines). */
  readonly chain?: boolean;
  /** How long to wait for another process that writes the index, milliseconds (default 0: say who it is and fail). */
  readonly lockWaitMs?: number;
};

export interface Workspace extends Places {
  readonly settings: Settings;
  readonly trusted: boolean;
  readonly offline: boolean;
  readonly readOnly: boolean;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly registry: StageRegistry;
  readonly resources: Resources;
  /** A plan by role (setting `pipelines`), name or file; kept and reused while no overrides are given. */
  plan(name: string, overrides?: readonly string[]): Plan;
  /** Runs a pipeline and, for batches, the ones it names in `then`. */
  run<K extends Kind = Kind>(
    name: string,
    request?: RunRequest,
  ): Promise<RunResult<K> & { readonly followed: readonly RunReport[] }>;
  /** One query in, whatever the pipeline gives out. Read-only. */
  ask<K extends Kind = Kind>(name: string, input: Item, request?: RunRequest): Promise<RunResult<K>>;
  /** Loads a configuration file of this vault. */
  config<S extends z.ZodType>(name: ConfigName, schema: S): z.output<S>;
  close(): Promise<void>;
}

/**
 * Opens a vault. Cheap: nothing heavy is loaded until a pipeline uses it.
 * @throws {ConfigError} for a missing vault or bad configuration (exit code 2).
 */
export async function openWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const places = findPlaces(options);
  const place: ConfigPlace = {
    userDir: places.userDir,
    configFile: options.config === undefined ? undefined : resolve(options.cwd, options.config),
    env: options.env,
  };
  const settings = withStoreOf(options.env, loadConfig('config', settingsSchema, place));
  const trusted = isTrusted(places.vaultDir, places.stateDir);
  const { registry, untrusted } = await stagesFor(places, trusted);
  const clock = options.clock ?? systemClock;
  const config = <S extends z.ZodType>(name: ConfigName, schema: S): z.output<S> => loadConfig(name, schema, place);
  const resources = createResources({
    ...resourceFactories({
      places,
      settings,
      clock,
      config,
      env: options.env,
      trusted,
      offline: options.offline ?? false,
      readOnly: options.readOnly ?? false,
    }),
    ...options.resources,
  });
  const observers = [ledgerObserver(resources, clock)];
  return assemble({ places, options, settings, trusted, registry, untrusted, clock, config, resources, observers });
}

/** SLUICE_STORE before the setting: a shared vault's settings lie in the vault, and each machine has its own way to the server. */
function withStoreOf(env: WorkspaceOptions['env'], settings: Settings): Settings {
  const store = env['SLUICE_STORE'];
  if (!store) return settings;
  const parsed = settingsSchema.shape.store.safeParse(store);
  if (parsed.success) return { ...settings, store: parsed.data };
  throw new ConfigError('store-url', `The variable SLUICE_STORE ${parsed.error.issues[0]?.message ?? 'is wrong'}.`, {
    remedy: 'Write postgres://user@host/database?schema=team, or file: and the name of a file that holds that.',
  });
}

interface Parts {
  readonly places: Places;
  readonly options: WorkspaceOptions;
  readonly settings: Settings;
  readonly trusted: boolean;
  readonly registry: StageRegistry;
  readonly untrusted: ReadonlySet<string>;
  readonly clock: Clock;
  readonly config: Workspace['config'];
  readonly resources: Resources;
  readonly observers: readonly Observer[];
}

function assemble({
  places,
  options,
  settings,
  trusted,
  registry,
  untrusted,
  clock,
  config,
  resources,
  observers,
}: Parts): Workspace {
  const plans = new Map<string, Plan>();
  const loadOptions: LoadOptions = { registry, untrusted, env: options.env };
  const roles: Readonly<Record<string, string>> = settings.pipelines;
  const plan = (asked: string, overrides: readonly string[] = []): Plan => {
    const name = Object.hasOwn(roles, asked) ? (roles[asked] ?? asked) : asked;
    const known = overrides.length === 0 ? plans.get(name) : undefined;
    if (known) return known;
    const loaded = loadPipeline(readPipelineSource(name, places.userDir), { ...loadOptions, overrides });
    if (overrides.length === 0) plans.set(name, loaded);
    return loaded;
  };
  const runOne = <K extends Kind>(name: string, request: RunRequest): Promise<RunResult<K>> => {
    const { overrides, chain: _, lockWaitMs = 0, ...rest } = request;
    const loaded = plan(name, overrides);
    const standing = loaded.mode === 'batch' && !request.dryRun ? observers : [];
    const run = (): Promise<RunResult<K>> =>
      runPlan<K>(loaded, { ...rest, resources, clock, observers: [...standing, ...(request.observers ?? [])] });
    if (request.dryRun || !writesIndex(loaded)) return run();
    const lock = { command: `pipeline ${name}`, now: () => clock.now(), waitMs: lockWaitMs };
    return withWriterLock(
      { settings, resources, dbFile: places.dbFile },
      { ...lock, ...(rest.signal ? { signal: rest.signal } : {}) },
      run,
    );
  };
  return {
    ...places,
    settings,
    trusted,
    offline: options.offline ?? false,
    readOnly: options.readOnly ?? false,
    clock,
    env: options.env,
    registry,
    resources,
    config,
    plan,
    async run<K extends Kind>(name: string, request: RunRequest = {}) {
      if (!request.dryRun && (isOnServer(settings) || existsSync(places.ledgerFile))) {
        const { learnBefore } = await import('./triage/open.js');
        await learnBefore(plan(name, request.overrides), this, request.observers ?? []);
      }
      const result = await runOne<K>(name, request);
      const followed: RunReport[] = [];
      const goOn = (request.chain ?? true) && !request.dryRun && !result.report.interrupted;
      for (const next of goOn ? plan(name, request.overrides).followedBy : []) {
        const { overrides: _, input: __, ...rest } = request;
        // What was just filed must be found: a watcher that is indexing meanwhile is waited for.
        followed.push((await this.run(next, { lockWaitMs: FOLLOWER_WAIT_MS, ...rest })).report);
      }
      return { ...result, followed };
    },
    ask: (name, input, request = {}) => runOne(name, { ...request, input: [input], readOnly: true }),
    close: () => resources.close(),
  };
}

const FOLLOWER_WAIT_MS = 60_000;

function findPlaces(options: WorkspaceOptions): Places {
  const vaultDir = findVault(options);
  const userDir =
    options.config === undefined ? join(vaultDir, '.pipeline') : dirname(resolve(options.cwd, options.config));
  const stateDir = options.stateDir ?? stateFolder(options.env);
  const key = createHash('sha256').update(vaultDir).digest('hex').slice(0, 8);
  const own = join(stateDir, 'vaults', `${basename(vaultDir)}-${key}`);
  const dbFile = options.db === undefined ? join(own, 'index.db') : resolve(options.cwd, options.db);
  return { vaultDir, userDir, stateDir, dbFile, ledgerFile: dbFile.replace(/(\.(db|sqlite3?))?$/, '.ledger.db') };
}

function findVault({ vault, cwd }: WorkspaceOptions): string {
  if (vault !== undefined && vault !== '') {
    const dir = resolve(cwd, vault);
    if (!existsSync(dir))
      throw new ConfigError('vault-missing', `The vault ${dir} does not exist.`, {
        remedy: `Create it with \`pipeline init ${vault}\`.`,
      });
    if (!statSync(dir).isDirectory())
      throw new ConfigError('vault-missing', `The vault ${dir} is not a folder.`, {
        remedy: 'Name the folder that holds the notes.',
      });
    return dir;
  }
  for (let at = resolve(cwd); ; at = dirname(at)) {
    if (existsSync(join(at, '.pipeline')) || existsSync(join(at, '.obsidian'))) return at;
    if (dirname(at) === at) break;
  }
  throw new ConfigError('vault-missing', 'No vault is named, and none is found from the current folder upwards.', {
    remedy: 'Use --vault DIR or the variable VAULT_PATH, or create one with `pipeline init DIR`.',
  });
}

interface VaultStages {
  readonly registry: StageRegistry;
  /** Names the vault would define if it were trusted. */
  readonly untrusted: ReadonlySet<string>;
}

async function stagesFor(places: Places, trusted: boolean): Promise<VaultStages> {
  const folder = join(places.userDir, 'stages');
  if (!existsSync(folder)) return { registry: shippedStages, untrusted: new Set() };
  if (trusted) return { registry: await withCustomStages(shippedStages, folder), untrusted: new Set() };
  return { registry: shippedStages, untrusted: new Set(customStageNames(folder)) };
}
