/** Progress notifications for clients that ask for them: one for each stage of the pipeline that answers. */
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import type { Observer } from '../../runner/observe.js';
import { stageSteps } from '../../runner/plan.js';
import type { Workspace } from '../../workspace/workspace.js';

export type ToolExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Observers that report the stages of a pipeline as they end; none when the request carries no progress token. */
export function progressOf(workspace: Workspace, pipeline: string, extra: ToolExtra): readonly Observer[] {
  const progressToken = extra._meta?.progressToken;
  if (progressToken === undefined) return [];
  const total = [...stageSteps(workspace.plan(pipeline).steps)].length;
  let progress = 0;
  return [
    {
      stage({ stage }) {
        // A stage may be called more than once; progress must grow and not pass the total.
        if (progress >= total) return;
        progress++;
        const params = { progressToken, progress, total, message: stage };
        // A client that has gone needs no progress.
        extra.sendNotification({ method: 'notifications/progress', params }).catch(() => undefined);
      },
    },
  ];
}
