/** The library: everything the command line does, callable from TypeScript. */

export { ConfigError, ConfigErrors, describeError, PipelineError, StageError } from './runner/errors.js';
export type * from './runner/items.js';
export { makeItem } from './runner/items.js';
export { checkPipeline, loadPipeline } from './runner/load.js';
export type { Observer, RunReport, RunResult } from './runner/observe.js';
export type { Plan } from './runner/plan.js';
export { createResources, type Resources, type ResourceTypes, systemClock } from './runner/resources.js';
export { RunError, type RunOptions, runPlan } from './runner/run.js';
export { type AnyStage, defineStage, drop, type StageContext, type StageRegistry } from './runner/stage.js';
export { registry as shippedStages } from './stages/index.js';
export { type Captured, type CaptureRequest, capture } from './workspace/capture.js';
export { type ContextAnswer, type ContextRequest, getContext } from './workspace/context.js';
export { initVault } from './workspace/init.js';
export { listNotes, type NoteListing, type NoteText, type ReadRequest, readNote } from './workspace/notes.js';
export { promote } from './workspace/promote.js';
export { type SearchAnswer, type SearchRequest, type SearchResult, search } from './workspace/search.js';
export { type WatchOptions, watchVault } from './workspace/watch.js';
export { openWorkspace, type Workspace, type WorkspaceOptions } from './workspace/workspace.js';
