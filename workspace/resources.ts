/** How each named resource of a vault is made. Every factory imports its module when first used, never before. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import type { ConfigName } from '../config/load.js';
import type { Settings } from '../config/schema.js';
import type {} from '../lib/index-settings.js';
import type { Clock, ResourceFactories } from '../runner/resources.js';
import { isOnServer, ledgerIfAny, serverUrl } from './server.js';
import type { Places } from './workspace.js';

export interface ResourceSetup {
  readonly places: Places;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly trusted: boolean;
  readonly offline: boolean;
  readonly readOnly: boolean;
  config<S extends z.ZodType>(name: ConfigName, schema: S): z.output<S>;
}

/** Two cores are the least we run on; a third thread only fights for them. */
const EXTRACTION_WORKERS = 2;

export function resourceFactories(setup: ResourceSetup): ResourceFactories {
  const { clock, places, readOnly, settings, env } = setup;
  return {
    classifier: async () => {
      const { createClassifier } = await import('../lib/vault/sensitivity.js');
      const { default: standard, paths } = settings.sensitivity;
      return createClassifier({ default: standard, paths });
    },
    clock: () => clock,
    embedder: async (use) => {
      const { openFollowingEmbedder } = await import('./models/following-embedder.js');
      const { modelOptions } = await import('./models/options.js');
      return openFollowingEmbedder(settings.embed.model, modelOptions(setup), () => use('store'));
    },
    extractor: async () => {
      const { createExtractor } = await import('../lib/web/extractor.js');
      return createExtractor({ workers: EXTRACTION_WORKERS, timeoutMs: settings.http.timeout });
    },
    http: async (use) => {
      const { openHttp } = await import('../lib/net/http.js');
      const { hostRests } = await import('../store/host-rests.js');
      const { userAgent, concurrency, perHost, spacing, redirects, allowPrivateHosts, respectRobots } = settings.http;
      const proxy = proxySettings(env);
      return openHttp({
        userAgent,
        concurrency,
        perHost,
        spacingMs: spacing,
        redirects,
        allowPrivateHosts,
        respectRobots,
        clock,
        offline: setup.offline,
        // A reader (`sources test`) asks whatever the user wants to know, and stores nothing.
        ...(readOnly ? {} : { rests: hostRests(() => use('ledger')) }),
        ...(proxy ? { proxy } : {}),
      });
    },
    vault: async () => {
      const { openVault } = await import('../lib/vault/vault.js');
      return openVault(places.vaultDir);
    },
    indexSettings: () => ({ ...settings.index, embedBatch: settings.embed.batch }),
    store: async () => {
      if (isOnServer(settings)) {
        const { openPgStore } = await import('../store/pgvector/open.js');
        return openPgStore({ url: serverUrl(settings), readOnly });
      }
      const { openSqliteStore } = await import('../store/sqlite/store.js');
      return openSqliteStore({ file: places.dbFile, readOnly });
    },
    ledger: async () => {
      if (isOnServer(settings)) {
        const { openPgLedger } = await import('../store/pgvector/ledger.js');
        return openPgLedger({ url: serverUrl(settings), readOnly });
      }
      const { openLedger } = await import('../store/sqlite/ledger.js');
      if (!readOnly) mkdirSync(dirname(places.ledgerFile), { recursive: true });
      return openLedger({ file: places.ledgerFile, readOnly });
    },
    scorer: async (use) => {
      const { openScorer } = await import('./scoring.js');
      return openScorer(setup, await ledgerIfAny({ settings, ledgerFile: places.ledgerFile, resources: { use } }));
    },
    scrubber: async () => {
      const { openScrubber } = await import('./scrubber.js');
      return openScrubber({ userDir: places.userDir, env });
    },
    sources: async () => {
      const { createSources } = await import('./sources.js');
      return createSources(setup);
    },
    urlCleaner: async () => {
      const { trackingParamsSchema, urlCleanerFrom } = await import('../config/tracking-params.js');
      return urlCleanerFrom(setup.config('tracking-params', trackingParamsSchema));
    },
  };
}

/** Proxies by the variables every command-line tool obeys; lower case wins, as in curl. */
function proxySettings(env: ResourceSetup['env']): { http?: string; https?: string; noProxy?: string } | undefined {
  const read = (name: string): string | undefined => env[name] || env[name.toUpperCase()] || undefined;
  const [http, https, noProxy] = [read('http_proxy'), read('https_proxy'), read('no_proxy')];
  if (!http && !https) return undefined;
  return { ...(http ? { http } : {}), ...(https ? { https } : {}), ...(noProxy ? { noProxy } : {}) };
}
