/** The table of commands: one line each, alphabetical. A command file is loaded only when its command runs. */
import type { CommandModule } from './command.js';

export interface CommandEntry {
  readonly summary: string;
  load(): Promise<{ readonly command: CommandModule }>;
}

export const commands: Readonly<Record<string, CommandEntry>> = {
  blocks: {
    summary: 'Blocks of notes that stay the same bytes, for prompt caches.',
    load: () => import('./commands/blocks.js'),
  },
  capture: { summary: 'Keep a text as a note, searchable at once.', load: () => import('./commands/capture.js') },
  check: { summary: 'Check pipeline files without running them.', load: () => import('./commands/check.js') },
  context: { summary: 'One block of notes on a topic, for a prompt.', load: () => import('./commands/context.js') },
  demo: { summary: 'See the main job on shipped samples, offline.', load: () => import('./commands/demo.js') },
  doctor: { summary: 'What is wrong, why, and what to do.', load: () => import('./commands/doctor.js') },
  eval: { summary: 'Measure how well search answers.', load: () => import('./commands/eval.js') },
  extract: { summary: 'Read a page and show it as Markdown.', load: () => import('./commands/extract.js') },
  graph: { summary: 'Orphans, broken links, tag sprawl, oversized chunks.', load: () => import('./commands/graph.js') },
  hook: { summary: 'Hooks for coding agents: context, capture, compress.', load: () => import('./commands/hook.js') },
  index: { summary: 'Bring the index up to date with the vault.', load: () => import('./commands/index.js') },
  init: { summary: 'Create a vault from the template.', load: () => import('./commands/init.js') },
  install: { summary: 'Register the vault with a coding agent.', load: () => import('./commands/install.js') },
  ledger: { summary: 'Every item ever seen and what became of it.', load: () => import('./commands/ledger.js') },
  mcp: { summary: 'Serve the vault to agents over MCP.', load: () => import('./commands/mcp.js') },
  migrate: { summary: 'Move index and ledger to a server, or back.', load: () => import('./commands/migrate.js') },
  models: { summary: 'Embedding models: list, fetch, change.', load: () => import('./commands/models.js') },
  promote: { summary: "Move an agent's note into the vault proper.", load: () => import('./commands/promote.js') },
  prune: { summary: 'Remove what is old of what is kept beside the vault.', load: () => import('./commands/prune.js') },
  replay: { summary: 'Score stored items again under other rules.', load: () => import('./commands/replay.js') },
  report: {
    summary: 'What came in, by domain, best first, and what failed.',
    load: () => import('./commands/report.js'),
  },
  run: { summary: 'Run a pipeline, e.g. `run ingest`.', load: () => import('./commands/run.js') },
  schedule: { summary: 'Run pipelines by the clock.', load: () => import('./commands/schedule.js') },
  score: { summary: 'Score items, report on routing, tune weights.', load: () => import('./commands/score.js') },
  scrub: {
    summary: 'Take credentials out of text, or report those of a vault.',
    load: () => import('./commands/scrub.js'),
  },
  search: { summary: 'Ask the vault.', load: () => import('./commands/search.js') },
  serve: {
    summary: 'Schedule, watch, blocks and MCP over HTTP in one process.',
    load: () => import('./commands/serve.js'),
  },
  sources: { summary: 'Add, list, test, import and export sources.', load: () => import('./commands/sources.js') },
  stages: { summary: 'List the stages, or explain one.', load: () => import('./commands/stages.js') },
  status: { summary: 'What the index holds and what waits.', load: () => import('./commands/status.js') },
  trace: { summary: 'Where a note came from, or what became of an item.', load: () => import('./commands/trace.js') },
  triage: { summary: 'Go through what waits for review.', load: () => import('./commands/triage.js') },
  trust: { summary: 'Allow a vault to bring its own code.', load: () => import('./commands/trust.js') },
  watch: { summary: 'Index notes as they are written.', load: () => import('./commands/watch.js') },
};
