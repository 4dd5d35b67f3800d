/** The stage contract: everything a stage is and may touch, in one place. */
import type { z } from 'zod';
import type { Item, ItemKinds, Kind } from './items.js';
import type { ResourceName, ResourceTypes } from './resources.js';

/** How the runner feeds a stage: see `StageBody`. */
export type Mode = 'source' | 'each' | 'batch' | 'all' | 'sink';

/** What a stage does to the world. A read-only run refuses `writes`; an offline run refuses `network`. */
export type Effect = 'none' | 'reads' | 'writes' | 'network';

/** A stage's way of saying "this item goes no further, and that is fine". Reported and counted by reason. */
export interface Drop {
  readonly dropped: true;
  /** Short, stable, groupable: `duplicate`, `below-threshold`. */
  readonly reason: string;
  /** Free detail for the report and the ledger. */
  readonly detail?: string;
  /** The item's data as it stood when it was dropped, when the stage knows more than came in. */
  readonly data?: unknown;
}

export function drop(reason: string, detail?: string, data?: unknown): Drop {
  return Object.freeze({
    dropped: true as const,
    reason,
    ...(detail === undefined ? {} : { detail }),
    ...(data === undefined ? {} : { data }),
  });
}

export function isDrop(value: unknown): value is Drop {
  return typeof value === 'object' && value !== null && (value as Partial<Drop>).dropped === true;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a running stage may touch: nothing global, no clock but `now`, no environment. */
export interface StageContext<N extends ResourceName = ResourceName> {
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch, from the injected clock. */
  now(): number;
  log(level: LogLevel, message: string): void;
  /** Adds a line to the current item's trail. */
  note(what: string): void;
  /** Tells the caller something about the whole run (a degraded leg, a repaired feed). Same code is said once. */
  notice(code: string, message: string): void;
  /** Attaches a named result to the run report, e.g. the budget report or the confidence. */
  report(key: string, value: unknown): void;
  /** A failed part of the item's source that should be reported without stopping the stage (a broken feed among many). */
  fail(id: string, error: unknown): void;
  /** A sink calls it once per item whose writing changed something on disk or in the store. */
  written(): void;
  /** A resource the stage declared in `needs`; created on first use, shared by the whole process. */
  use<R extends N>(name: R): Promise<ResourceTypes[R]>;
  /** The item being worked on (`each`, `sink`). */
  readonly item: Item | undefined;
  /** The item a query run started from. */
  readonly input: Item | undefined;
  /** True for `--dry-run`: a sink says what it would do and does nothing. */
  readonly dryRun: boolean;
  /** Fingerprint of what this pipeline makes of an item: changes when the same input would come out differently. */
  readonly recipe: string;
  /** Only items newer than this (milliseconds since the epoch), when the caller asked so. */
  readonly since: number | undefined;
}

/** What a stage may take: a kind, nothing (a source), or any kind (and then it gives the same kind back). */
export type Takes = Kind | 'nothing' | 'any';
/** What a stage may give: a kind, nothing, or the same kind it took. */
export type Gives = Kind | 'nothing' | 'same';

type In<T extends Takes> = T extends Kind ? ItemKinds[T] : T extends 'any' ? ItemKinds[Kind] : never;
type Out<G extends Gives> = G extends Kind ? ItemKinds[G] : G extends 'same' ? ItemKinds[Kind] : never;

/** One output, several, or none with a reason. */
export type Given<G extends Gives> = Out<G> | readonly Out<G>[] | Drop;

/** A source may give an id with its data so that an item keeps it through the pipeline. */
export interface Sourced<G extends Gives> {
  readonly id?: string;
  readonly data: Out<G>;
}

/**
 * The body of a stage, by mode:
 * - `source`: gives items by itself, lazily; the runner stops pulling when the consumer is slow;
 * - `each`: one item in, any number out;
 * - `batch`: up to `batchSize` items in, the same number of results out, in order;
 * - `all`: the whole list in, a new list out (fuse, budget);
 * - `sink`: like `each`, runs one item at a time in order, and what it gives is durable when it returns.
 */
export interface StageBody<M extends Mode, T extends Takes, G extends Gives, N extends ResourceName> {
  run: M extends 'source'
    ? (ctx: StageContext<N>) => AsyncIterable<Sourced<G>>
    : M extends 'batch'
      ? (items: readonly In<T>[], ctx: StageContext<N>) => Promise<readonly Given<G>[]>
      : M extends 'all'
        ? (
            items: readonly Item<T extends 'any' ? Kind : T & Kind>[],
            ctx: StageContext<N>,
          ) => Promise<readonly Out<G>[]> | readonly Out<G>[]
        : (data: In<T>, ctx: StageContext<N>) => Promise<Given<G>> | Given<G>;
  /** Called once when the plan is closed. */
  close?: () => Promise<void> | void;
}

/** What a stage file exports. `config` is a strict zod object whose every field has `.describe()` and a default where one makes sense. */
export interface StageSpec<
  M extends Mode = Mode,
  T extends Takes = Takes,
  G extends Gives = Gives,
  C extends z.ZodType = z.ZodType,
  N extends ResourceName = ResourceName,
> {
  /** kebab-case, equal to the file name. */
  readonly name: string;
  /** One sentence. */
  readonly summary: string;
  /** Longer documentation, Markdown. */
  readonly docs?: string;
  readonly takes: T;
  readonly gives: G;
  readonly mode: M;
  /** For `batch`: items per call, or a function of the config. */
  readonly batchSize?: number | ((config: z.output<C>) => number);
  readonly config: C;
  readonly effects: readonly Effect[];
  readonly needs: readonly N[];
  /**
   * Makes the body, once a run, when its first item comes. Asynchronous where it loads code of some weight (a Markdown
   * parser, a mail reader): declaring a stage must cost nothing, because every command declares them all. No other I/O
   * and no model: those wait for `run`.
   */
  readonly create: (config: z.output<C>) => StageBody<M, T, G, N> | Promise<StageBody<M, T, G, N>>;
}

interface AnyBody {
  readonly run: (...args: never[]) => unknown;
  readonly close?: () => Promise<void> | void;
}

/** A stage with its types forgotten: what the registry and the runner hold. */
export interface AnyStage {
  readonly name: string;
  readonly summary: string;
  readonly docs?: string;
  readonly takes: Takes;
  readonly gives: Gives;
  readonly mode: Mode;
  readonly batchSize?: number | ((config: never) => number);
  readonly config: z.ZodType;
  readonly effects: readonly Effect[];
  readonly needs: readonly ResourceName[];
  readonly create: (config: never) => AnyBody | Promise<AnyBody>;
}

/** Identity function that types a stage body from its own `takes`, `gives`, `config` and `needs`. */
export function defineStage<
  M extends Mode,
  T extends Takes,
  G extends Gives,
  C extends z.ZodType,
  N extends ResourceName = never,
>(spec: StageSpec<M, T, G, C, N>): StageSpec<M, T, G, C, N> {
  return Object.freeze(spec);
}

/** Stage registry: name to spec. */
export type StageRegistry = ReadonlyMap<string, AnyStage>;
