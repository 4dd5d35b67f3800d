import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressOutput } from '../../../lib/compress/compress.js';

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** A pytest run as the runner prints it with -v and three failures. */
function pytestLog(tests: number, failing: readonly number[]): string {
  const name = (i: number): string => `tests/test_billing_${i % 7}.py::TestInvoice::test_total_case_${i}`;
  return [
    '============================= test session starts ==============================',
    'platform linux -- Python 3.12.4, pytest-8.3.2, pluggy-1.5.0 -- /usr/bin/python3',
    `collecting ... collected ${tests} items`,
    '',
    ...times(
      tests,
      (i) =>
        `${name(i)} ${failing.includes(i) ? 'FAILED' : 'PASSED'}`.padEnd(90) +
        `[${String(Math.floor((100 * i) / tests)).padStart(3)}%]`,
    ),
    '',
    '=================================== FAILURES ===================================',
    ...failing.flatMap((i) => [
      `______________________ TestInvoice.test_total_case_${i} ______________________`,
      '',
      '    def test_total(self):',
      '        invoice = Invoice(lines=[Line(1, 2), Line(3, 4)])',
      `>       assert invoice.total() == ${i}`,
      `E       assert 14 == ${i}`,
      `E        +  where 14 = total()`,
      '',
      `tests/test_billing_${i % 7}.py:${i + 10}: AssertionError`,
    ]),
    '=========================== short test summary info ============================',
    ...failing.map((i) => `FAILED ${name(i)} - assert 14 == ${i}`),
    `======================== ${failing.length} failed, ${tests - failing.length} passed in 3.21s ========================`,
  ].join('\n');
}

describe('compressOutput', () => {
  it('brings a 200-test pytest log to at most 5 % and names every failing test', () => {
    const failing = [3, 77, 150];
    const log = pytestLog(200, failing);
    const { kind, text } = compressOutput(log);
    expect(kind).toBe('pytest');
    expect(text.length).toBeLessThanOrEqual(log.length * 0.05);
    expect(text).toContain('Tests: 197 passed, 3 failed');
    for (const i of failing) expect(text).toContain(`test_total_case_${i}`);
    expect(text).toContain('assert 14 == 77');
  });

  it.each<[string, string[], string[]]>([
    [
      'jest',
      [
        ...times(40, (i) => `  ✓ adds ${i} (1 ms)`),
        '  ● cart › removes the last item',
        '',
        '    expect(received).toBe(expected)',
        '    Expected: 0',
        '    Received: 1',
        '      at Object.toBe (cart.test.ts:12:5)',
        'Tests:       1 failed, 40 passed, 41 total',
        'Time:        2.1 s',
      ],
      ['Tests: 40 passed, 1 failed', 'cart › removes the last item', 'Expected: 0'],
    ],
    [
      'vitest',
      [
        ...times(40, (i) => ` ✓ test/a${i}.test.ts (3 tests) 4ms`),
        ' FAIL  test/cart.test.ts > cart > removes the last item',
        'AssertionError: expected 1 to be +0',
        '      Tests  1 failed | 120 passed (121)',
        '   Duration  2.31s',
      ],
      ['Tests: 120 passed, 1 failed', 'test/cart.test.ts > cart > removes the last item', 'expected 1 to be +0'],
    ],
    [
      'go test',
      [
        ...times(60, (i) => `--- PASS: TestAdd${i} (0.00s)`),
        '--- FAIL: TestRemove (0.01s)',
        '    cart_test.go:14: got 1, want 0',
        'FAIL',
        'FAIL\texample.com/cart\t0.012s',
        'ok  \texample.com/user\t0.003s',
      ],
      ['1 failed', 'TestRemove', 'got 1, want 0', '1 ok, 1 failed'],
    ],
    [
      'cargo test',
      [
        ...times(60, (i) => `test cart::adds_${i} ... ok`),
        'test cart::removes ... FAILED',
        '',
        'failures:',
        '',
        '---- cart::removes stdout ----',
        "thread 'cart::removes' panicked at src/cart.rs:9:5:",
        'assertion `left == right` failed',
        '',
        'failures:',
        '    cart::removes',
        '',
        'test result: FAILED. 60 passed; 1 failed; 2 ignored; 0 measured',
      ],
      ['Tests: 60 passed, 1 failed, 2 skipped', 'cart::removes', 'src/cart.rs:9:5'],
    ],
    [
      'junit',
      [
        ...times(60, (i) => `[INFO] Running com.example.Test${i}`),
        '[ERROR]   CartTest.removesLast:41 expected: <0> but was: <1>',
        '[ERROR] Tests run: 61, Failures: 1, Errors: 0, Skipped: 0',
      ],
      ['Tests: 60 passed, 1 failed', 'CartTest.removesLast:41', 'expected: <0>'],
    ],
    [
      'tsc',
      times(60, (i) => `src/a.ts(${i + 1},5): error TS2322: Type 'string' is not assignable to type 'number'.`),
      ['60 errors in 1 files', 'src/a.ts:1 TS2322', '40 more'],
    ],
    [
      'eslint',
      [
        '/app/src/a.ts',
        ...times(60, (i) => `  ${i + 1}:5  error  Unexpected any. Specify a different type  no-explicit-any`),
        '',
        '✖ 60 problems (60 errors, 0 warnings)',
      ],
      ['✖ 60 problems', '/app/src/a.ts:1 Unexpected any', '40 more'],
    ],
    [
      'stack trace',
      [
        'TypeError: x is not a function',
        ...times(40, (i) => `    at f${i} (/app/node_modules/lib/index.js:${i}:1)`),
        '    at main (/app/src/main.ts:3:9)',
      ],
      ['TypeError: x is not a function', '/app/src/main.ts:3:9', '41 frames'],
    ],
    [
      'diff stat',
      [...times(60, (i) => ` src/file${i}.ts | ${i + 1} +-`), ' 60 files changed, 900 insertions(+), 12 deletions(-)'],
      ['60 files changed', 'src/file59.ts', '40 more'],
    ],
    [
      'install',
      [
        ...times(80, (i) => `npm http fetch GET 200 pkg-${i} ${i}ms`),
        'npm warn deprecated rimraf@3: use 4',
        'added 312 packages in 9s',
        '3 high severity vulnerabilities',
      ],
      ['added 312 packages', 'deprecated rimraf', '3 high severity'],
    ],
    [
      'log',
      [
        ...times(200, (i) => `2026-01-01 info request ${i} served in 3 ms by worker ${i % 4}`),
        '2026-01-01 error disk is full',
        ...times(200, (i) => `2026-01-01 info request ${i} served`),
      ],
      ['lines left out', 'error disk is full'],
    ],
  ])('recognises %s and keeps what matters', (kind, lines, kept) => {
    const found = compressOutput(lines.join('\n'));
    expect(found.kind).toBe(kind);
    for (const text of kept) expect(found.text).toContain(text);
    expect(found.text.length).toBeLessThan(lines.join('\n').length * 0.8);
  });

  it('never throws and never grows a text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 3000 }), (text) => {
        expect(compressOutput(text).text.length).toBeLessThanOrEqual(text.length);
      }),
    );
  });
});
