/** What opening and fetching models needs of this machine: folders, network, time, keys. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { modelsSchema } from '../../config/models.js';
import type { OpenOptions } from '../../stages/embed/models/open.js';
import type { ResourceSetup } from '../resources.js';

/** The part of a workspace that models depend on. */
export type ModelSetup = Pick<ResourceSetup, 'places' | 'clock' | 'env' | 'offline' | 'config'>;

/** Pulled models are shared by all vaults of this user. */
export function modelsDirOf(stateDir: string): string {
  return join(stateDir, 'models');
}

export function modelOptions({ places, clock, env, offline, config }: ModelSetup): OpenOptions {
  return {
    models: config('models', modelsSchema),
    modelsDir: modelsDirOf(places.stateDir),
    fetch: proxiedFetch(env),
    sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}),
    clock,
    env,
    offline,
  };
}

/** `fetch` that obeys the proxy variables; node's own does not in this version. */
export function proxiedFetch(env: ModelSetup['env']): typeof globalThis.fetch {
  const read = (name: string): string | undefined => env[name] || env[name.toUpperCase()] || undefined;
  const [httpProxy, httpsProxy, noProxy] = [read('http_proxy'), read('https_proxy'), read('no_proxy')];
  if (!httpProxy && !httpsProxy) return globalThis.fetch;
  const proxies = {
    ...(httpProxy ? { httpProxy } : {}),
    ...(httpsProxy ? { httpsProxy } : {}),
    ...(noProxy ? { noProxy } : {}),
  };
  let dispatcher: Dispatcher | undefined;
  // undici's types are those of its own version of fetch; the objects are the same standard ones.
  return (async (input: string | URL, init?: object) => {
    const undici = await import('undici');
    dispatcher ??= new undici.EnvHttpProxyAgent(proxies);
    return undici.fetch(input, { ...init, dispatcher });
  }) as unknown as typeof globalThis.fetch;
}
