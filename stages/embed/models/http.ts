/**
 * Served models: Ollama, OpenAI-compatible servers and Voyage. One request shape each, the same retries, checks and
 * errors for all. Nothing here runs unless the user chose such a model by name.
 */
import type { ServedModel } from '../../../config/models.js';
import { spaceFingerprint } from '../../../lib/embedding/fingerprint.js';
import { normaliseVector } from '../../../lib/embedding/vector.js';
import { retryAfterMs } from '../../../lib/net/retry-after.js';
import { ConfigError, messageOf, PipelineError } from '../../../runner/errors.js';
import type { Clock } from '../../../runner/resources.js';
import type { Embedder, EmbedKind } from './types.js';

export interface HttpEmbedderTools {
  readonly fetch: typeof globalThis.fetch;
  /** Waits; rejects when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Refuse every server that is not this machine. */
  readonly offline: boolean;
}

/** Tries of one request, the first included: with the pauses below it gives up after about 15 seconds. */
const TRIES = 5;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** A query waits for its answer, so it is asked again once and soon. */
const QUERY_TRIES = 2;
const QUERY_PAUSE_MS = 200;
const TIMEOUT_MS = 60_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** How one kind of server is asked, and where its vectors stand in the answer. */
interface Dialect {
  readonly path: string;
  body(model: ServedModel, texts: readonly string[], kind: EmbedKind): Record<string, unknown>;
  vectors(answer: unknown): unknown;
}

const dialects: Readonly<Record<ServedModel['kind'], Dialect>> = {
  ollama: {
    path: 'api/embed',
    body: ({ model }, input) => ({ model, input, truncate: true }),
    vectors: (answer) => (answer as { embeddings?: unknown }).embeddings,
  },
  openai: {
    path: 'embeddings',
    body: ({ model, dimensions }, input) => ({
      model,
      input,
      encoding_format: 'float',
      // Only this family shortens its vectors on request; other servers refuse the unknown field.
      ...(model.startsWith('text-embedding-3') ? { dimensions } : {}),
    }),
    vectors: inOrder,
  },
  voyage: {
    path: 'embeddings',
    body: ({ model }, input, kind) => ({ model, input, input_type: kind, truncation: true }),
    vectors: inOrder,
  },
};

/** `{data: [{index, embedding}]}`, in any order. */
function inOrder(answer: unknown): unknown {
  const { data } = answer as { data?: unknown };
  if (!Array.isArray(data)) return undefined;
  return [...(data as { index?: number; embedding?: unknown }[])]
    .sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
    .map((entry) => entry.embedding);
}

/**
 * An embedder that asks a server. `embed` rejects with `PipelineError`: `embed-offline`, `embed-refused` (key, model or
 * request), `embed-failed` (after retries), `embed-invalid` (an answer that is none). For documents they are fatal: the
 * run stops with what was done kept. A query's caller goes on with keyword search.
 */
export function createHttpEmbedder(id: string, model: ServedModel, tools: HttpEmbedderTools): Embedder {
  const dialect = dialects[model.kind];
  const url = new URL(dialect.path, model.url.endsWith('/') ? model.url : `${model.url}/`);

  const ask = async (
    texts: readonly string[],
    kind: EmbedKind,
    signal?: AbortSignal,
  ): Promise<readonly Float32Array[]> => {
    const tries = kind === 'query' ? QUERY_TRIES : TRIES;
    const body = JSON.stringify(dialect.body(model, texts, kind));
    for (let attempt = 1; ; attempt++) {
      try {
        return checked(dialect.vectors(await exchange(body, kind, signal)), texts.length, model, url);
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof PipelineError) || !error.transient || attempt >= tries) throw error;
        const first = kind === 'query' ? QUERY_PAUSE_MS : FIRST_PAUSE_MS;
        const pause = error.retryAfterMs ?? first * 2 ** (attempt - 1);
        // A server that wants longer than this is not coming back within this run.
        if (pause > (kind === 'query' ? first : LONGEST_PAUSE_MS)) throw error;
        await tools.sleep(pause, signal);
      }
    }
  };

  const exchange = async (body: string, kind: EmbedKind, signal?: AbortSignal): Promise<unknown> => {
    const fatal = kind === 'document';
    const headers = { 'content-type': 'application/json', ...authorisation(model, tools.env) };
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    let response: Response;
    let text: string;
    try {
      response = await tools.fetch(url, {
        method: 'POST',
        headers,
        body,
        // A redirect would carry notes and key to another host.
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      text = await response.text();
    } catch (cause) {
      throw new PipelineError('embed-failed', `${url.host} did not answer: ${reasonOf(cause)}.`, {
        cause,
        transient: true,
        fatal,
        remedy:
          model.kind === 'ollama' ? 'Start it with `ollama serve`.' : 'Check the network, or choose a local model.',
      });
    }
    if (!response.ok) throw refusal(response, text, model, url, fatal, tools.clock);
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw new PipelineError('embed-invalid', `${url.host} answered with something that is not JSON.`, {
        cause,
        fatal,
      });
    }
  };

  return {
    id,
    dimensions: model.dimensions,
    fingerprint: spaceFingerprint({
      id,
      dimensions: model.dimensions,
      version: `${model.kind}\n${model.model}`,
      prompts: model.prompts,
    }),
    async embed(texts, kind, signal) {
      if (tools.offline && !LOOPBACK.test(url.hostname))
        throw new PipelineError('embed-offline', `${url.host} was not asked: this run is offline.`, {
          fatal: kind === 'document',
          remedy: 'Run without --offline, or choose a local model.',
        });
      // Servers refuse empty input, and there is nothing in it.
      const vectors: Float32Array[] = texts.map(() => new Float32Array(model.dimensions));
      const asked = [...texts.keys()].filter((i) => texts[i]?.trim());
      for (let at = 0; at < asked.length; at += model.batch) {
        const batch = asked.slice(at, at + model.batch);
        const answer = await ask(
          batch.map((i) => model.prompts[kind] + texts[i]),
          kind,
          signal,
        );
        for (const [row, i] of batch.entries()) vectors[i] = answer[row] as Float32Array;
      }
      return vectors;
    },
  };
}

function authorisation({ keyEnv }: ServedModel, env: HttpEmbedderTools['env']): Record<string, string> {
  if (keyEnv === undefined) return {};
  const key = env[keyEnv];
  if (!key)
    throw new ConfigError('embed-key', `The environment variable ${keyEnv} is not set.`, {
      fatal: true,
      remedy: `Set ${keyEnv}, or choose a local model.`,
    });
  return { authorization: `Bearer ${key}` };
}

/** An HTTP error as ours. The server's words are quoted shortly; the request, with its text and key, never is. */
function refusal(
  response: Response,
  text: string,
  model: ServedModel,
  { host }: URL,
  fatal: boolean,
  clock: Clock,
): PipelineError {
  const { status } = response;
  const said = /"(?:message|error|detail)"\s*:\s*"([^"]{1,200})/.exec(text)?.[1];
  const message = `${host} answered ${status}${said ? ` (${said})` : ''}.`;
  if (status === 429 || status === 408 || status >= 500) {
    const pause = retryAfterMs(response.headers.get('retry-after') ?? undefined, clock.now());
    return new PipelineError('embed-failed', message, {
      transient: true,
      fatal,
      ...(pause === undefined ? {} : { retryAfterMs: pause }),
      remedy: 'Wait a little, or choose a local model.',
    });
  }
  const remedy =
    status === 401 || status === 403
      ? `Check ${model.keyEnv ?? 'the key'}.`
      : model.kind === 'ollama' && status === 404
        ? `Run \`ollama pull ${model.model}\`.`
        : 'Check `url` and `model` in models.yaml.';
  return new PipelineError('embed-refused', message, { fatal, remedy });
}

function checked(rows: unknown, count: number, model: ServedModel, { host }: URL): readonly Float32Array[] {
  const invalid = (what: string): PipelineError =>
    new PipelineError('embed-invalid', `${host} ${what}.`, {
      fatal: true,
      remedy: 'Check `url`, `model` and `dimensions` in models.yaml.',
    });
  if (!Array.isArray(rows) || rows.length !== count)
    throw invalid(`gave ${Array.isArray(rows) ? rows.length : 'no'} vectors for ${count} texts`);
  return rows.map((row: unknown) => {
    if (!Array.isArray(row) || row.length !== model.dimensions)
      throw invalid(`gave ${Array.isArray(row) ? row.length : 'no'} dimensions, not ${model.dimensions}`);
    const vector = Float32Array.from(row as number[]);
    if (!vector.every(Number.isFinite)) throw invalid('gave a vector with something that is not a number');
    return normaliseVector(vector);
  });
}

/** fetch says "fetch failed" and hides the reason in its cause. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (inner as { code?: unknown } | null)?.code;
  return messageOf(inner) || (typeof code === 'string' ? code : 'no reason given');
}
