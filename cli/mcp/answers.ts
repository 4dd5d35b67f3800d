/** What every tool gives back: structured content and the same as text, scrubbed and bounded; errors that say what to do. */
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Scrubber } from '../../lib/secrets/types.js';
import { messageOf, PipelineError } from '../../runner/errors.js';
import { tidyNowAndThen } from './tidy.js';

/** Declared to clients that read it: no tool gives more. */
export const MAX_RESULT_CHARACTERS = 30_000;

/** Runs a tool body; what it returns or throws leaves through the scrubber. */
export async function answer(
  scrubber: Scrubber,
  work: () => Promise<Record<string, unknown>>,
): Promise<CallToolResult> {
  try {
    const value = scrubber.scrubValue(await work());
    return { structuredContent: value, content: [{ type: 'text', text: JSON.stringify(value) }] };
  } catch (error) {
    const value = scrubber.scrubValue(describe(error));
    // No structured content: clients would check it against the schema of a good result.
    return { isError: true, content: [{ type: 'text', text: JSON.stringify(value) }] };
  } finally {
    tidyNowAndThen();
  }
}

function describe(error: unknown): { error: string; suggestion: string } {
  const inner = error instanceof PipelineError ? error : undefined;
  return {
    error: messageOf(error),
    suggestion: inner?.remedy ?? 'Run `pipeline doctor` on the machine that serves this vault.',
  };
}
