/** Runs a few intake stages by themselves: real libraries and loopback, a memory ledger, a clock that is set. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { type Source, sourceSchema } from '../../config/sources.js';
import { trackingParamsSchema, urlCleanerFrom } from '../../config/tracking-params.js';
import { openHttp } from '../../lib/net/http.js';
import { openVault } from '../../lib/vault/vault.js';
import type { PageExtractor } from '../../lib/web/types.js';
import { type Article, makeItem } from '../../runner/items.js';
import { loadPipeline } from '../../runner/load.js';
import { createResources } from '../../runner/resources.js';
import { runPlan } from '../../runner/run.js';
import { registry } from '../../stages/index.js';
import { MemoryLedger } from '../../store/memory-ledger.js';

const urlCleaner = urlCleanerFrom(loadConfig('tracking-params', trackingParamsSchema, { env: {} }));

export const NOW = Date.UTC(2026, 10, 2, 12);

export interface IntakeSetup {
  /** YAML of the steps, in brackets. */
  readonly steps: string;
  readonly sources?: readonly Partial<Source>[];
  /** Folder that relative sources and the vault stand in. */
  readonly root?: string;
  readonly extractor?: PageExtractor;
  readonly offline?: boolean;
}

/** Each call of `run` is a run of its own over one ledger. */
export function intakeSteps({ steps, sources = [], root = '.', extractor, offline = false }: IntakeSetup) {
  const ledger = new MemoryLedger();
  const clock = { now: () => NOW };
  const list = sources.map((source, index) => sourceSchema.parse({ name: `s${index}`, ...source }));
  const text = `version: 1\nname: t\nsummary: t\nsteps: ${steps}\n`;
  const plan = loadPipeline({ file: 't.yaml', text }, { registry, env: {} });
  const run = async (input: readonly Article[] = []) => {
    const resources = createResources({
      clock: () => clock,
      ledger: () => ledger,
      urlCleaner: () => urlCleaner,
      vault: () => openVault(root),
      sources: () => ({
        list: async () => list,
        path: (url) => join(root, url),
        readFile: async (path) => readFileSync(join(root, path)),
        limits: { maxFeedBytes: 2 ** 21, maxPageBytes: 2 ** 18, timeoutMs: 5000 },
      }),
      ...(extractor === undefined ? {} : { extractor: () => extractor }),
      http: () =>
        openHttp({
          userAgent: 'Sluice test',
          concurrency: 4,
          perHost: 1,
          spacingMs: 0,
          redirects: 5,
          allowPrivateHosts: ['127.0.0.1'],
          respectRobots: true,
          offline,
          clock,
        }),
    });
    const items = input.map((article, n) => makeItem('Article', article, `i${n}`));
    const result = await runPlan<'Article'>(plan, {
      resources,
      clock,
      collect: true,
      input: items,
      delay: async () => {},
    });
    await resources.close();
    return { articles: result.items.map(({ data }) => data), items: result.items, report: result.report };
  };
  return { run, state: (name = 's0') => ledger.sourceState(name) };
}
