/** Named, lazy, shared resources (store, embedder, http, clock …): created on first use, closed once, in reverse order. */
import { PipelineError } from './errors.js';

/**
 * Resource types by name. Empty here on purpose: each provider adds its own by declaration merging, so that the
 * runner depends on none of them:
 * `declare module '../runner/resources.js' { interface ResourceTypes { store: ChunkStore } }`
 */
export interface ResourceTypes {
  clock: Clock;
}

/** Time source. Tests inject a fixed or stepping one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() };

export type ResourceName = keyof ResourceTypes & string;

export type ResourceFactories = {
  /** `use` gives the factory other resources of the same container. */
  readonly [N in ResourceName]?: (use: Resources['use']) => ResourceTypes[N] | Promise<ResourceTypes[N]>;
};

export interface Resources {
  has(name: string): boolean;
  use<N extends ResourceName>(name: N): Promise<ResourceTypes[N]>;
  close(): Promise<void>;
}

interface Closable {
  close?: () => unknown;
}

/** Builds a container. A factory that throws is tried again on the next use; a created resource is kept. */
export function createResources(factories: ResourceFactories): Resources {
  const made = new Map<ResourceName, Promise<unknown>>();
  const order: unknown[] = [];
  let closed = false;
  const container: Resources = {
    has: (name) => Object.hasOwn(factories, name),
    use<N extends ResourceName>(name: N): Promise<ResourceTypes[N]> {
      if (closed)
        throw new PipelineError('resource-closed', `Resource "${name}" was asked for after the run was closed.`);
      const known = made.get(name);
      if (known) return known as Promise<ResourceTypes[N]>;
      const factory = factories[name];
      if (!factory) {
        throw new PipelineError('resource-missing', `No resource named "${name}" is available here.`, {
          remedy: 'Run the pipeline with a vault (--vault), or remove the stage that needs it.',
        });
      }
      const creating = (async () => {
        const value = await factory(container.use);
        order.push(value);
        return value;
      })();
      made.set(name, creating);
      creating.catch(() => made.delete(name));
      return creating;
    },
    async close() {
      closed = true;
      await Promise.allSettled(made.values());
      for (const value of order.reverse()) await (value as Closable | null)?.close?.();
      order.length = 0;
      made.clear();
    },
  };
  return container;
}
