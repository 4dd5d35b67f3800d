import { describe, expect, it } from 'vitest';
import { ConfigErrors } from '../../runner/errors.js';
import { checkPipeline } from '../../runner/load.js';
import { load, registry } from './helpers.js';

const check = (text: string, options = {}) => checkPipeline({ file: 'p.yaml', text }, { registry, ...options });

describe('loadPipeline', () => {
  it('reads steps, defaults and what comes after', () => {
    const plan = load(
      'version: 1\nname: a\nsummary: S.\nconcurrency: 3\nsteps:\n  - fake-source: { titles: [x] }\n  - upper\nthen: [index]\n',
    );
    expect(plan.steps).toHaveLength(2);
    expect(plan.concurrency).toBe(3);
    expect(plan.input).toBe('nothing');
    expect(plan.output).toBe('Article');
    expect(plan.followedBy).toEqual(['index']);
    expect(Object.isFrozen(plan)).toBe(true);
  });

  it('reports every problem at once, in line order, with the nearest name', () => {
    const errors = check(
      [
        'version: 1',
        'name: a',
        'summry: x',
        'steps:',
        '  - fake-source: { titels: [x] }',
        '  - weigh: { weights: { a: 0.6, b: 0.5 } }',
        '  - ask-a',
        '  - uper: {}',
      ].join('\n'),
    );
    expect(errors.map((e) => [e.line, e.code])).toEqual([
      [3, 'unknown-key'],
      [5, 'unknown-key'],
      [6, 'bad-value'],
      [7, 'wrong-neighbour'],
      [8, 'unknown-stage'],
    ]);
    expect(errors[0]?.remedy).toContain('"summary"');
    expect(errors[1]?.remedy).toContain('"titles"');
    expect(errors[2]?.message).toContain('sum to 1');
    expect(errors[4]?.remedy).toContain('"upper"');
  });

  it('substitutes the environment and names a variable that is missing', () => {
    const text = 'version: 1\nname: a\nsteps:\n  - fake-source: { titles: ["${A}", "${B:-b}", "$${C}"] }\n';
    expect(load(text, { env: { A: '1' } }).steps[0]).toMatchObject({ config: { titles: ['1', 'b', '${C}'] } });
    expect(check(text)[0]).toMatchObject({ code: 'environment', line: 4 });
  });

  it('lets steps share a setting by a YAML anchor, and is not folded up by one that holds itself', () => {
    const shared = 'version: 1\nname: a\nsteps:\n  - fake-source: &t { titles: [x] }\n  - fake-source: *t\n';
    expect(load(shared).steps[1]).toMatchObject({ config: { titles: ['x'] } });
    const own = 'version: 1\nname: a\nsteps:\n  - fake-source: &t { titles: [*t] }\n';
    expect(check(own)[0]).toMatchObject({ line: 4 });
    const fold = [
      'a: &a [x, x]',
      ...'bcdefghijklm'.split('').map((c, i) => `${c}: &${c} [*${'abcdefghijkl'[i]}, *${'abcdefghijkl'[i]}]`),
    ];
    expect(check(`${fold.join('\n')}\nsteps: *m\n`).length).toBeGreaterThan(0);
  });

  it('applies --set and refuses a step that is not there', () => {
    const text = 'version: 1\nname: a\nsteps:\n  - fake-source\n  - upper: {}\n';
    expect(load(text, { overrides: ['upper.times=2'] }).steps[1]).toMatchObject({ config: { times: 2 } });
    expect(check(text, { overrides: ['lower.times=2'] })[0]?.remedy).toContain('Known');
    expect(check(text, { overrides: ['nonsense'] })[0]?.code).toBe('override');
  });

  it('lets a file of one source follow another and checks branches', () => {
    expect(load('version: 1\nname: a\nsteps: [fake-source, fake-source, upper]').output).toBe('Article');
    const q =
      'version: 1\nname: q\nmode: query\nsteps:\n  - parallel:\n      x: { steps: [ask-a] }\n      y: { optional: true, steps: [any-kind, ask-b] }\n    atLeast: 1\n';
    expect(load(q)).toMatchObject({ input: 'Query', output: 'Hit' });
    expect(check(q.replace('ask-b', 'any-kind'))[0]?.message).toContain('Branch "y" ends with Query');
  });

  it('refuses a writing stage in a read-only file and malformed YAML with its line', () => {
    const errors = check('version: 1\nname: a\nreadOnly: true\nsteps: [fake-source, writer]');
    expect(errors[0]).toMatchObject({ code: 'read-only', step: 'step 2' });
    expect(check('version: 1\nname: a\nsteps: [')[0]).toMatchObject({ code: 'yaml', line: 3 });
    expect(() => load('[]')).toThrow(ConfigErrors);
  });
});
