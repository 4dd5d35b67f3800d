import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { listPipelines } from '../../workspace/pipelines.js';
import { readPipelineTests, runPipelineCase } from '../support/pipeline-test.js';

for (const [name, file] of listPipelines(undefined)) {
  const tests = file.replace(/\.yaml$/, '.test.yaml');
  describe(`pipelines/${name}.yaml`, () => {
    it('has a test beside it', () => expect(existsSync(tests)).toBe(true));
    if (!existsSync(tests)) return;
    for (const test of readPipelineTests(tests)) {
      it(test.name, async () => {
        const outcome = await runPipelineCase(name, test);
        const { items, files, ...counts } = test.expect;
        expect(outcome).toMatchObject(counts);
        if (items) {
          expect(outcome.items).toHaveLength(items.length);
          expect(outcome.items).toMatchObject(items);
        }
        for (const [path, texts] of Object.entries(files ?? {})) {
          for (const text of texts) expect(outcome.file(path), path).toContain(text);
        }
      });
    }
  });
}
