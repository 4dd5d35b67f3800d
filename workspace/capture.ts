/** Captures a text into the vault through the `capture` pipeline; the command line, hooks and the library call this. */
import { captureTitle } from '../lib/note/capture-note.js';
import { ConfigError } from '../runner/errors.js';
import { makeItem } from '../runner/items.js';
import type { Workspace } from './workspace.js';

/** Where agents write; a human promotes what is true. */
export const AGENT_FOLDER = 'agent_learnings';

export interface CaptureRequest {
  readonly text: string;
  readonly title?: string;
  readonly domain?: string;
  readonly tags?: readonly string[];
  readonly url?: string;
  /** Name of the agent that wrote it; such notes go to `agent_learnings/`. */
  readonly by?: string;
}

export interface Captured {
  /** Vault-relative path of the note. */
  readonly path: string;
  readonly change: 'created' | 'updated' | 'unchanged';
}

/** @throws {ConfigError} `blank-capture`; {PipelineError} `capture-failed` with the reason. */
export async function capture(
  workspace: Workspace,
  { text, title, domain = 'other', tags = [], url, by }: CaptureRequest,
): Promise<Captured> {
  if (text.trim() === '')
    throw new ConfigError('blank-capture', 'There is nothing to capture.', {
      remedy: 'Give the text as an argument or on stdin.',
    });
  const article = makeItem('Article', {
    source: { name: by ?? 'capture', kind: by === undefined ? 'capture' : 'hook' },
    title: title ?? captureTitle(text),
    tags,
    markdown: text,
    ...(url === undefined ? {} : { url }),
  });
  const { items, report } = await workspace.run<'WrittenNote'>('capture', {
    input: [article],
    collect: true,
    overrides: [
      `draft-capture.domain=${JSON.stringify(domain)}`,
      ...(by === undefined ? [] : [`draft-capture.by=${JSON.stringify(by)}`, `write-note.review=${AGENT_FOLDER}`]),
    ],
  });
  const [written] = items;
  if (written) return { path: written.data.path, change: written.data.change };
  const reason = report.failed[0]?.reason ?? Object.keys(report.dropped)[0] ?? 'nothing was written';
  throw new ConfigError('capture-failed', `The text was not kept: ${reason}.`, { remedy: 'Run `pipeline doctor`.' });
}
