/**
 * Keeps the index up to date while the vault is edited. Usable inside any process (`watch`, `mcp`, `schedule`): it takes
 * the writer's lock for each pass only, so that it never stands in the way of another writer for long.
 */
import { relative, sep } from 'node:path';
import { type FSWatcher, watch as watchFiles } from 'chokidar';
import { IGNORE_FILE } from '../lib/vault/ignore-rules.js';
import { isMarkdownPath } from '../lib/vault/paths.js';
import { messageOf } from '../runner/errors.js';
import type { RunReport } from '../runner/observe.js';
import type { Workspace } from './workspace.js';

/** Timers as the watcher needs them; tests step them by hand. */
export interface Timers {
  now(): number;
  /** Calls `work` after `ms`; gives a way to call it off. */
  after(ms: number, work: () => void): () => void;
}

export interface WatchOptions {
  /** Nothing may change for this long before the notes are indexed. */
  readonly quietMs?: number;
  /** A vault that never rests is indexed at least this often. */
  readonly atMostMs?: number;
  /** The whole vault is compared this often: what a suspended machine, a remount or a lost event left behind. */
  readonly rescanMs?: number;
  readonly signal: AbortSignal;
  onPass?(report: RunReport, paths: readonly string[] | 'all'): void;
  onProblem?(message: string): void;
  readonly timers?: Timers;
}

export const WATCH_DEFAULTS = { quietMs: 1500, atMostMs: 30_000, rescanMs: 5 * 60_000 } as const;

/** More changed paths than this are compared faster by walking the vault once, with its guard against mass deletion. */
const MANY_PATHS = 200;
/** The guard also judges this many vanished notes, which may be an unmounted folder. */
const MANY_GONE = 10;
const LOCK_WAIT_MS = 60_000;

const realTimers: Timers = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** Watches until the signal aborts; resolves when the last pass has ended. A pass that fails is reported and tried again. */
export async function watchVault(workspace: Workspace, options: WatchOptions): Promise<void> {
  const passes = new Passes(workspace, options);
  const vault = await workspace.resources.use('vault');
  const pathOf = (file: string): string => relative(vault.root, file).split(sep).join('/');
  const watcher: FSWatcher = watchFiles(vault.root, {
    ignoreInitial: true,
    followSymlinks: false,
    ignored: (file, stats) => {
      const path = pathOf(file);
      if (path === '' || path === IGNORE_FILE) return false;
      return vault.ignored(path) || vault.ignored(`${path}/`) || (stats?.isFile() === true && !isMarkdownPath(path));
    },
  });
  watcher.on('all', (event, file) => {
    const path = pathOf(file);
    if (path === IGNORE_FILE) passes.request('all');
    else if (isMarkdownPath(path)) passes.request(path, event === 'unlink');
  });
  watcher.on('error', (error) => {
    // A vanished root, or the system's limit of watches: comparing everything finds what no event will tell.
    options.onProblem?.(`watching: ${messageOf(error)}`);
    passes.request('all');
  });
  await new Promise<void>((resolve) => {
    watcher.once('ready', () => passes.request('all'));
    options.signal.addEventListener('abort', () => resolve(), { once: true });
    if (options.signal.aborted) resolve();
  });
  await watcher.close();
  await passes.stop();
}

/** Collects changed paths and runs one pass at a time, after the vault has been quiet. */
export class Passes {
  private readonly paths = new Set<string>();
  private everything = false;
  private gone = 0;
  private firstAt: number | undefined;
  private cancel: () => void = () => undefined;
  private cancelRescan: () => void = () => undefined;
  private running: Promise<void> | undefined;
  private readonly timers: Timers;

  constructor(
    private readonly workspace: Pick<Workspace, 'run'>,
    private readonly options: WatchOptions,
  ) {
    this.timers = options.timers ?? realTimers;
    this.scheduleRescan();
  }

  /** Asks for a path, or for everything, to be looked at once the vault is quiet. */
  request(path: string | 'all', vanished = false): void {
    if (this.options.signal.aborted) return;
    if (path === 'all') this.everything = true;
    else this.paths.add(path);
    if (vanished) this.gone++;
    const { quietMs = WATCH_DEFAULTS.quietMs, atMostMs = WATCH_DEFAULTS.atMostMs } = this.options;
    const now = this.timers.now();
    this.firstAt ??= now;
    this.cancel();
    const wait = Math.max(0, Math.min(quietMs, this.firstAt + atMostMs - now));
    this.cancel = this.timers.after(wait, () => this.start());
  }

  /** Runs nothing more; resolves when the pass under way has ended. */
  async stop(): Promise<void> {
    this.cancel();
    this.cancelRescan();
    await this.running;
  }

  private scheduleRescan(): void {
    const { rescanMs = WATCH_DEFAULTS.rescanMs } = this.options;
    this.cancelRescan = this.timers.after(rescanMs, () => {
      this.request('all');
      this.scheduleRescan();
    });
  }

  private start(): void {
    // What comes in meanwhile waits for the pass under way and for the next quiet moment.
    if (this.running) {
      this.cancel = this.timers.after(this.options.quietMs ?? WATCH_DEFAULTS.quietMs, () => this.start());
      return;
    }
    const all = this.everything || this.paths.size > MANY_PATHS || this.gone >= MANY_GONE;
    const paths = [...this.paths];
    this.paths.clear();
    this.everything = false;
    this.gone = 0;
    this.firstAt = undefined;
    if (!all && paths.length === 0) return;
    this.running = this.pass(all ? 'all' : paths).finally(() => {
      this.running = undefined;
    });
  }

  private async pass(paths: readonly string[] | 'all'): Promise<void> {
    const { signal, onPass, onProblem } = this.options;
    try {
      const { report } = await this.workspace.run('index', {
        lockWaitMs: LOCK_WAIT_MS,
        stop: signal,
        ...(paths === 'all' ? {} : { overrides: [`scan-vault.only=${JSON.stringify(paths)}`] }),
      });
      onPass?.(report, paths);
    } catch (error) {
      onProblem?.(messageOf(error));
      // The notes are as they were: look at everything when the trouble may be over.
      this.everything = true;
    }
  }
}
