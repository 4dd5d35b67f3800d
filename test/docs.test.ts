import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { registry } from '../stages/index.js';
import { staleFiles } from '../tools/generate-docs.js';
import { listPipelines } from '../workspace/pipelines.js';

describe('generated documentation', () => {
  it('is what the stages say (npm run docs)', () => expect(staleFiles()).toEqual([]));

  it('is referenced by every shipped pipeline, for completion in editors', () => {
    for (const file of listPipelines(undefined).values()) {
      expect(readFileSync(file, 'utf8').split('\n')[0]).toBe('# yaml-language-server: $schema=./pipeline.schema.json');
    }
  });

  it('describes every setting of every stage', () => {
    for (const stage of registry.values()) {
      const shape = (stage.config as { shape?: Record<string, { description?: string }> }).shape ?? {};
      for (const [key, field] of Object.entries(shape)) expect(field.description, `${stage.name}.${key}`).toBeTruthy();
    }
  });
});
