/** What agents send to hooks on stdin. Claude Code and Codex use the same JSON; unknown fields are theirs. */
import { z } from 'zod';

const schema = z.looseObject({
  session_id: z.string().default('unknown'),
  cwd: z.string().optional(),
  hook_event_name: z.string(),
  tool_name: z.string().optional(),
  tool_input: z.looseObject({}).optional(),
  tool_response: z.unknown().optional(),
});

export type HookInput = z.output<typeof schema>;

/** What a hook says, beside the name of the event. */
export interface HookFields {
  readonly additionalContext?: string;
  /** Takes the place of the tool's output; has the shape of the tool's response. */
  readonly updatedToolOutput?: unknown;
}

/** @throws {Error} when the text is not such JSON. */
export function parseHookInput(text: string): HookInput {
  return schema.parse(JSON.parse(text));
}

/** Text of a tool's response, whatever its shape: a string, `{stdout, stderr}`, or content blocks. */
export function responseText(response: unknown): string {
  if (typeof response === 'string') return response;
  if (Array.isArray(response))
    return response
      .map(responseText)
      .filter((t) => t !== '')
      .join('\n');
  if (typeof response !== 'object' || response === null) return '';
  const { stdout, stderr, output, text, content } = response as Record<string, unknown>;
  return [stdout, stderr, output, text, content]
    .map(responseText)
    .filter((t) => t !== '')
    .join('\n');
}

/** What the tool is about to work on, as a query: the words of a command or of the changed text, and the file's name. */
export function topicOf({ tool_name, tool_input = {} }: HookInput): string | undefined {
  const field = (name: string): string => (typeof tool_input[name] === 'string' ? tool_input[name] : '');
  if (tool_name === 'Bash' || tool_name === 'shell' || tool_name === 'local_shell')
    return field('description') || field('command');
  if (tool_name === 'Edit' || tool_name === 'Write' || tool_name === 'apply_patch') {
    const name = (field('file_path') || field('path')).split(/[\\/]/).at(-1) ?? '';
    return `${name.replace(/\.\w+$/, '')} ${field('new_string') || field('content') || field('input')}`.slice(0, 400);
  }
  return undefined;
}
