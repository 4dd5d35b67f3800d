/** Hosted and local-server embeddings: Ollama, OpenAI-compatible servers and Voyage. Used only when configured. */
import { createHash } from 'node:crypto';
import { ConfigError, messageOf, PipelineError } from '../../../runner/errors.js';
import type { Embedder, EmbedKind } from './types.js';

export interface HttpModel {
  readonly id: string;
  readonly protocol: 'ollama' | 'openai' | 'voyage';
  /** Base address, e.g. `http://127.0.0.1:11434` or `https://api.openai.com/v1`. */
  readonly url: string;
  /** The server's name of the model. */
  readonly model: string;
  readonly dimensions: number;
  readonly apiKey?: string;
  readonly prompts: Readonly<Record<EmbedKind, string>>;
  readonly timeoutMs: number;
  /** Waits between tries; injected so that tests do not wait. */
  readonly delay?: (ms: number) => Promise<void>;
}

const TRIES = 4;
const FIRST_DELAY_MS = 500;
/** Texts in one request; all three servers take at least this many. */
const BATCH = 64;

interface Protocol {
  readonly path: string;
  body(model: HttpModel, input: readonly string[], kind: EmbedKind): object;
  vectors(answer: unknown): readonly (readonly number[])[];
}

const data = (answer: unknown): readonly (readonly number[])[] =>
  [...((answer as { data?: { index: number; embedding: number[] }[] }).data ?? [])]
    .sort((a, b) => a.index - b.index)
    .map((d) => d.embedding);

const PROTOCOLS: Readonly<Record<HttpModel['protocol'], Protocol>> = {
  ollama: {
    path: '/api/embed',
    body: ({ model }, input) => ({ model, input }),
    vectors: (answer) => (answer as { embeddings?: number[][] }).embeddings ?? [],
  },
  openai: {
    path: '/embeddings',
    body: ({ model, dimensions }, input) => ({ model, input, dimensions, encoding_format: 'float' }),
    vectors: data,
  },
  voyage: {
    path: '/embeddings',
    // Voyage embeds questions and passages differently and asks to be told which is which.
    body: ({ model }, input, kind) => ({ model, input, input_type: kind }),
    vectors: data,
  },
};

/** An embedder on a server. Errors that may pass (429, 5xx, no connection) are tried again, honouring Retry-After. */
export function createHttpEmbedder(model: HttpModel): Embedder {
  const protocol = PROTOCOLS[model.protocol];
  const prompts = `${model.prompts.query}\u0000${model.prompts.document}`;
  const fingerprint = createHash('sha256')
    .update(`${model.protocol}\n${model.model}\n${model.dimensions}\n${prompts}`)
    .digest('hex')
    .slice(0, 16);
  return {
    id: model.id,
    dimensions: model.dimensions,
    fingerprint,
    async embed(texts, kind, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += BATCH) {
        const input = texts.slice(at, at + BATCH).map((text) => model.prompts[kind] + text);
        const rows = protocol.vectors(await post(model, protocol.path, protocol.body(model, input, kind), signal));
        if (rows.length !== input.length)
          throw new PipelineError('embed-answer', `${model.id} gave ${rows.length} vectors for ${input.length} texts.`);
        vectors.push(...rows.map((row) => checked(row, model)));
      }
      return vectors;
    },
  };
}

async function post(model: HttpModel, path: string, body: object, signal: AbortSignal | undefined): Promise<unknown> {
  const delay = model.delay ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  for (let tries = 1; ; tries++) {
    try {
      return await postOnce(model, path, body, signal);
    } catch (error) {
      if (!(error instanceof PipelineError) || !error.transient || tries >= TRIES || signal?.aborted) throw error;
      await delay(error.retryAfterMs ?? FIRST_DELAY_MS * 2 ** (tries - 1));
    }
  }
}

async function postOnce(
  model: HttpModel,
  path: string,
  body: object,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const timeout = AbortSignal.timeout(model.timeoutMs);
  let response: Response;
  try {
    response = await fetch(model.url.replace(/\/$/, '') + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(model.apiKey ? { authorization: `Bearer ${model.apiKey}` } : {}),
      },
      body: JSON.stringify(body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
  } catch (cause) {
    throw new PipelineError(
      'embed-server',
      `The embedding server of ${model.id} does not answer: ${messageOf(cause)}.`,
      { cause, transient: true, remedy: 'Start it, or set embed.model to sluice-static.' },
    );
  }
  if (response.ok) return response.json();
  const seconds = Number(response.headers.get('retry-after'));
  if (response.status === 401 || response.status === 403) {
    throw new ConfigError('embed-key', `The embedding server of ${model.id} refuses the key (${response.status}).`, {
      remedy: 'Check the environment variable that holds it.',
    });
  }
  throw new PipelineError('embed-server', `The embedding server of ${model.id} answered ${response.status}.`, {
    transient: response.status === 429 || response.status >= 500,
    ...(seconds > 0 ? { retryAfterMs: seconds * 1000 } : {}),
    remedy: 'What was embedded before is kept; run again later.',
  });
}

function checked(row: readonly number[], model: HttpModel): Float32Array {
  if (row.length !== model.dimensions) {
    throw new ConfigError('embed-dimensions', `${model.id} gives ${row.length} dimensions, not ${model.dimensions}.`, {
      remedy: 'Correct `dimensions` in models.yaml.',
    });
  }
  const vector = Float32Array.from(row);
  let square = 0;
  for (const x of vector) square += x * x;
  const factor = square > 0 ? 1 / Math.sqrt(square) : 0;
  return vector.map((x) => x * factor);
}
