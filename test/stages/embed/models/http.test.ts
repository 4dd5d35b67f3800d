import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { modelSchema, type ServedModel } from '../../../../config/models.js';
import type { PipelineError } from '../../../../runner/errors.js';
import { createHttpEmbedder, type HttpEmbedderTools } from '../../../../stages/embed/models/http.js';
import { type Asked, type Loopback, startLoopback } from '../../../support/loopback.js';

let server: Loopback | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const KEY = 'test-key-123';
const pauses: number[] = [];
const tools = (rest: Partial<HttpEmbedderTools> = {}): HttpEmbedderTools => ({
  fetch: globalThis.fetch,
  sleep: async (ms) => {
    pauses.push(ms);
  },
  clock: { now: () => 0 },
  env: { EMBED_KEY: KEY },
  offline: false,
  ...rest,
});

const served = (kind: ServedModel['kind'], url: string, rest: object = {}): ServedModel =>
  modelSchema.parse({ kind, url, model: 'm', dimensions: 8, keyEnv: 'EMBED_KEY', ...rest }) as ServedModel;

/** A vector that says which text it belongs to. */
const vectorOf = (text: string): number[] => Array.from({ length: 8 }, (_, d) => (d === text.length % 8 ? 3 : 0));
const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};
const inputs = ({ body }: Asked): string[] => (JSON.parse(body) as { input: string[] }).input;
/** Answers as OpenAI and Voyage do, in reverse order to prove that `index` counts. */
const data = (asked: Asked): object => ({
  data: inputs(asked)
    .map((text, index) => ({ index, embedding: vectorOf(text) }))
    .reverse(),
});
const errorOf = async (work: Promise<unknown>): Promise<PipelineError> => {
  try {
    await work;
  } catch (error) {
    return error as PipelineError;
  }
  throw new Error('It did not fail.');
};

describe('served models', () => {
  it('asks Ollama in its own words, with the prompts of each kind', async () => {
    server = await startLoopback((asked, response) => send(response, 200, { embeddings: inputs(asked).map(vectorOf) }));
    const model = served('ollama', server.url, { keyEnv: undefined, prompts: { query: 'q: ', document: 'd: ' } });
    const embedder = createHttpEmbedder('local', model, tools());
    const [query] = await embedder.embed(['four'], 'query');
    await embedder.embed(['four'], 'document');
    expect(server.asked.map((a) => a.path)).toEqual(['/api/embed', '/api/embed']);
    expect(server.asked.map(inputs)).toEqual([['q: four'], ['d: four']]);
    expect(server.asked[0]?.headers.authorization).toBeUndefined();
    expect([...(query as Float32Array)]).toEqual([0, 0, 0, 0, 0, 0, 0, 1]);
  });

  it('asks OpenAI-compatible servers below the base path, with the key, in batches, and orders by index', async () => {
    server = await startLoopback((asked, response) => send(response, 200, data(asked)));
    const embedder = createHttpEmbedder('o', served('openai', `${server.url}/v1`, { batch: 2 }), tools());
    const texts = ['a', 'bb', '', 'cccc'];
    const vectors = await embedder.embed(texts, 'document');
    expect(vectors.map((v) => v.indexOf(1))).toEqual([1, 2, -1, 4]);
    expect(server.asked.map((a) => a.path)).toEqual(['/v1/embeddings', '/v1/embeddings']);
    expect(server.asked.map(inputs)).toEqual([['a', 'bb'], ['cccc']]);
    expect(server.asked[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(JSON.parse(server.asked[0]?.body ?? '')).not.toHaveProperty('dimensions');
  });

  it('asks for the dimensions only of the model family that has them', async () => {
    server = await startLoopback((asked, response) => send(response, 200, data(asked)));
    await createHttpEmbedder('o', served('openai', server.url, { model: 'text-embedding-3-small' }), tools()).embed(
      ['a'],
      'query',
    );
    expect(JSON.parse(server.asked[0]?.body ?? '')).toMatchObject({ dimensions: 8, encoding_format: 'float' });
  });

  it('tells Voyage a query from a document', async () => {
    server = await startLoopback((asked, response) => send(response, 200, data(asked)));
    const embedder = createHttpEmbedder('v', served('voyage', server.url), tools());
    await embedder.embed(['a'], 'query');
    await embedder.embed(['a'], 'document');
    expect(server.asked.map((a) => (JSON.parse(a.body) as { input_type: string }).input_type)).toEqual([
      'query',
      'document',
    ]);
  });

  it('tries again after 429, 500 and a broken answer of the network, honouring Retry-After', async () => {
    const failures: ((response: ServerResponse) => void)[] = [
      (response) => send(response, 429, { error: { message: 'slow down' } }, { 'retry-after': '7' }),
      (response) => send(response, 500, 'oops'),
      (response) => void response.destroy(),
    ];
    server = await startLoopback((asked, response) => {
      const fail = failures.shift();
      if (fail) fail(response);
      else send(response, 200, data(asked));
    });
    pauses.length = 0;
    const embedder = createHttpEmbedder('o', served('openai', server.url), tools());
    expect(await embedder.embed(['a'], 'document')).toHaveLength(1);
    expect(pauses).toEqual([7000, 2000, 4000]);
    expect(server.asked).toHaveLength(4);
  });

  it('gives up after five tries; documents then stop the run, a query gives up after two', async () => {
    server = await startLoopback((_, response) => send(response, 503, '{}'));
    const embedder = createHttpEmbedder('o', served('openai', server.url), tools());
    const failed = await errorOf(embedder.embed(['a'], 'document'));
    expect(failed).toMatchObject({ code: 'embed-failed', fatal: true, transient: true });
    expect(server.asked).toHaveLength(5);
    expect(await errorOf(embedder.embed(['a'], 'query'))).toMatchObject({ code: 'embed-failed', fatal: false });
    expect(server.asked).toHaveLength(7);
  });

  it('does not try again when the key or the model is refused, and never shows key or text', async () => {
    server = await startLoopback((_, response) => send(response, 401, { error: { message: 'bad key' } }));
    const embedder = createHttpEmbedder('o', served('openai', server.url), tools());
    const refused = await errorOf(embedder.embed(['my private text'], 'document'));
    expect(refused).toMatchObject({ code: 'embed-refused', remedy: 'Check EMBED_KEY.' });
    expect(refused.message).toContain('bad key');
    expect(JSON.stringify(refused) + refused.message).not.toMatch(/test-key|private text/);
    expect(server.asked).toHaveLength(1);
  });

  it.each([
    ['too few vectors', { data: [] }],
    ['other dimensions', { data: [{ index: 0, embedding: [1, 2] }] }],
    ['no numbers', { data: [{ index: 0, embedding: Array(8).fill('x') }] }],
    ['another shape', { result: 'ok' }],
    ['no JSON', '<html>'],
  ])('refuses an answer with %s', async (_, answer) => {
    server = await startLoopback((_asked, response) => send(response, 200, answer));
    const embedder = createHttpEmbedder('o', served('openai', server.url), tools());
    expect(await errorOf(embedder.embed(['a'], 'document'))).toMatchObject({ code: 'embed-invalid', fatal: true });
    expect(server.asked).toHaveLength(1);
  });

  it('follows no redirect: another host would get text and key', async () => {
    const other = await startLoopback((asked, response) => send(response, 200, data(asked)));
    server = await startLoopback((_, response) => send(response, 307, '', { location: `${other.url}/embeddings` }));
    const embedder = createHttpEmbedder('o', served('openai', server.url), tools());
    expect(await errorOf(embedder.embed(['a'], 'document'))).toMatchObject({ code: 'embed-failed' });
    expect(other.asked).toHaveLength(0);
    await other.close();
  });

  it('asks nobody without a key, and no other machine when offline', async () => {
    server = await startLoopback((asked, response) => send(response, 200, data(asked)));
    const keyless = createHttpEmbedder('o', served('openai', server.url), tools({ env: {} }));
    expect(await errorOf(keyless.embed(['a'], 'query'))).toMatchObject({ code: 'embed-key', exitCode: 2 });
    expect(server.asked).toHaveLength(0);
    const here = createHttpEmbedder('o', served('openai', server.url), tools({ offline: true }));
    expect(await here.embed(['a'], 'query')).toHaveLength(1);
    const refused: typeof fetch = () => Promise.reject(new Error('The network was used.'));
    const away = createHttpEmbedder(
      'v',
      served('voyage', 'https://embed.example/v1'),
      tools({ offline: true, fetch: refused }),
    );
    expect(await errorOf(away.embed(['a'], 'query'))).toMatchObject({ code: 'embed-offline' });
  });

  it('stops at once when the caller aborts', async () => {
    const abort = new AbortController();
    server = await startLoopback((_, response) => {
      send(response, 503, '{}');
      abort.abort(new Error('stop'));
    });
    const embedder = createHttpEmbedder('o', served('openai', server.url), tools());
    await expect(embedder.embed(['a'], 'document', abort.signal)).rejects.toThrow('stop');
    expect(server.asked).toHaveLength(1);
  });
});
