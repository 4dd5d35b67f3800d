/**
 * A process of its own for the crash and concurrency tests; they bundle it from the sources.
 * Usage: node child.mjs index|read VAULT DB [MILLISECONDS]
 */
import { join } from 'node:path';
import { parseQuery } from '../../lib/query/parse.js';
import { PipelineError } from '../../runner/errors.js';
import type { Embedder } from '../../stages/embed/models/types.js';
import { openSqliteStore } from '../../store/sqlite/store.js';
import { openWorkspace } from '../../workspace/workspace.js';

const [, , mode, vault = '', db = '', ms = '0'] = process.argv;

/** Small and deterministic: the real model would make starting the process the longest part of it. */
const embedder: Embedder = {
  id: 'crash',
  dimensions: 8,
  fingerprint: 'crash-8',
  async embed(texts) {
    return texts.map((text) => {
      const vector = new Float32Array(8);
      for (let i = 0; i < text.length; i++) vector[text.charCodeAt(i) % 8] = (vector[text.charCodeAt(i) % 8] ?? 0) + 1;
      const length = Math.hypot(...vector) || 1;
      return vector.map((x) => x / length);
    });
  },
};

if (mode === 'index') {
  const workspace = await openWorkspace({
    vault,
    db,
    cwd: process.cwd(),
    env: {},
    stateDir: join(db, '..', 'state'),
    resources: { embedder: () => embedder },
  });
  process.stdout.write('ready\n');
  try {
    const overrides = ['write-index.batch=8'];
    const { report } = await workspace.run('index', { overrides });
    process.stdout.write(`${JSON.stringify({ in: report.in, written: report.written, failed: report.failed })}\n`);
  } catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    process.stdout.write(`${JSON.stringify({ code: error.code, message: error.message })}\n`);
  }
  await workspace.close();
} else {
  const store = await openSqliteStore({ file: db, readOnly: true });
  process.stdout.write('ready\n');
  const times: number[] = [];
  const errors: string[] = [];
  const end = performance.now() + Number(ms);
  while (performance.now() < end) {
    const started = performance.now();
    try {
      const hits = await store.matchText(parseQuery('section words'), { top: 10, filter: {}, weights: [1, 0.5, 0.3] });
      if (hits.length === 0) errors.push('nothing found');
    } catch (error) {
      errors.push(String(error));
    }
    times.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  times.sort((a, b) => a - b);
  process.stdout.write(`${JSON.stringify({ p95: times[Math.floor(times.length * 0.95)], errors })}\n`);
  await store.close();
}
