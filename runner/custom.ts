/** Loads stages from a user's folder: one file a stage, its default export a function of the stage kit. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { ConfigError, messageOf } from './errors.js';
import { type AnyStage, defineStage, drop, type StageRegistry } from './stage.js';
import { byteSize, duration } from './values.js';

/** What a custom stage file gets: it cannot resolve our package from where it lies. */
export const stageKit = Object.freeze({ defineStage, drop, z, duration, byteSize });
export type StageKit = typeof stageKit;

const MODULE = /\.m?js$/;

/**
 * Adds the stages of `folder` to a registry; a file may replace a shipped stage of the same name.
 * @throws {ConfigErrors} naming the file when it does not load or its export is not a stage named like the file.
 */
export async function withCustomStages(registry: StageRegistry, folder: string): Promise<StageRegistry> {
  const merged = new Map(registry);
  for (const { file, name } of stageFiles(folder)) {
    const stage = await loadStage(file);
    if (stage.name !== name) {
      throw new ConfigError('custom-stage', `The stage is named "${stage.name}".`, {
        file,
        remedy: 'Name the file like the stage.',
      });
    }
    merged.set(stage.name, stage);
  }
  return merged;
}

/** Names of the stages a folder would define, without running any of its code. */
export function customStageNames(folder: string): string[] {
  return stageFiles(folder).map(({ name }) => name);
}

function stageFiles(folder: string): { file: string; name: string }[] {
  return readdirSync(folder)
    .filter((name) => MODULE.test(name))
    .sort()
    .map((name) => ({ file: join(folder, name), name: name.replace(MODULE, '') }));
}

async function loadStage(file: string): Promise<AnyStage> {
  let factory: unknown;
  try {
    factory = ((await import(pathToFileURL(file).href)) as { default?: unknown }).default;
  } catch (cause) {
    throw new ConfigError('custom-stage', `The stage does not load: ${messageOf(cause)}.`, {
      file,
      cause,
      remedy: 'Fix the file or remove it.',
    });
  }
  const stage: unknown = typeof factory === 'function' ? (factory as (kit: StageKit) => unknown)(stageKit) : undefined;
  if (typeof stage !== 'object' || stage === null || !('name' in stage) || !('create' in stage)) {
    throw new ConfigError('custom-stage', 'The default export must be a function that returns a stage.', {
      file,
      remedy: 'Write `export default ({ defineStage, z }) => defineStage({ name, … })`.',
    });
  }
  return stage as AnyStage;
}
