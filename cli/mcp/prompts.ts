/** Prompts for recurring work; each tells the agent which tool to call and what to do with the answer. */
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

interface Recipe {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Name and description of the one argument, if any. */
  readonly argument?: readonly [name: string, description: string];
  text(argument: string): string;
}

const RECIPES: readonly Recipe[] = [
  {
    name: 'morning_context',
    title: 'Morning context',
    description: 'What changed in the vault lately and what is open.',
    text: () =>
      'Call obsidian_list_notes with updated "last week" and limit 20, then read the project notes among them. Give me five lines: what is new, what is open, what to look at first. Cite paths.',
  },
  {
    name: 'project_kickoff',
    title: 'Project kickoff',
    description: 'Everything the vault knows before a project starts.',
    argument: ['project', 'What the project is about.'],
    text: (project) =>
      `We start: ${project}. Call obsidian_get_context for it, then obsidian_search for decisions and for earlier problems on the same topic. Summarise what is known, what was decided and why, and list open questions. Cite paths and lines.`,
  },
  {
    name: 'debug_error',
    title: 'Debug an error',
    description: 'Has this error been met before?',
    argument: ['error', 'The error message.'],
    text: (error) =>
      `I see this error: ${error}\nCall obsidian_search with its identifying words or code, quoted, and once more with a description in your own words. If \`good\` is false, say that the vault has nothing. Otherwise give the earlier cause and fix, with path and lines.`,
  },
  {
    name: 'review_preparation',
    title: 'Prepare a review',
    description: 'Conventions and past findings for a change under review.',
    argument: ['change', 'What the change touches.'],
    text: (change) =>
      `I review a change: ${change}. Call obsidian_search for our conventions and for post-mortems on what it touches. List what to check, each with the note it comes from.`,
  },
];

export function registerPrompts(server: McpServer): void {
  for (const { name, title, description, argument, text } of RECIPES) {
    const message = (value: string) => ({
      messages: [{ role: 'user' as const, content: { type: 'text' as const, text: text(value) } }],
    });
    if (!argument) {
      server.registerPrompt(name, { title, description }, () => message(''));
      continue;
    }
    const [key, meaning] = argument;
    server.registerPrompt(name, { title, description, argsSchema: { [key]: z.string().describe(meaning) } }, (args) =>
      message(String((args as Record<string, unknown>)[key] ?? '')),
    );
  }
}
