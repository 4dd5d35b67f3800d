import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../config/load.js';
import { secretsSchema } from '../../../lib/secrets/rules.js';
import { createScrubber } from '../../../lib/secrets/scrubber.js';
import { fillShape, seeded } from '../../support/secret-shapes.js';

const config = loadConfig('secrets', secretsSchema, { env: {} });
const scrubber = createScrubber(config);
const random = seeded(7);
const fill = (shape: string): string => fillShape(shape, random).text;
const names = (text: string): string[] => scrubber.scrub(text).findings.map((f) => f.pattern);

describe('scrub', () => {
  it('leaves a clean note as it is', () => {
    const text = '# OAuth\n\nTokens expire after an hour. The password is hashed with bcrypt.\n';
    expect(scrubber.scrub(text)).toEqual({ text, findings: [] });
  });

  it('names what it took, with its line', () => {
    const jwt = fill('eyJhbGciOiJIUzI1NiJ9.eyJ{url:40}.{url:43}');
    const bearer = fill('{url:40}');
    const note = `# Debug\n\nGot ${jwt} back.\n\n    Authorization: Bearer ${bearer}\n`;
    const { text, findings } = scrubber.scrub(note);
    expect(text).toBe('# Debug\n\nGot [REDACTED:jwt] back.\n\n    Authorization: Bearer [REDACTED:bearer-token]\n');
    expect(findings.map(({ pattern, line }) => ({ pattern, line }))).toEqual([
      { pattern: 'jwt', line: 3 },
      { pattern: 'bearer-token', line: 5 },
    ]);
    expect(findings.map(({ start, end }) => note.slice(start, end))).toEqual([jwt, bearer]);
  });

  it('keeps the line count when a key of many lines goes', () => {
    const pem = fill(config.patterns['private-key']?.shape ?? '');
    const { text, findings } = scrubber.scrub(`before\n${pem}\nafter`);
    expect(text).toBe(`before\n[REDACTED:private-key]${'\n'.repeat(pem.split('\n').length - 1)}\nafter`);
    expect(findings).toMatchObject([{ pattern: 'private-key', line: 2 }]);
  });

  it.each([
    ['cut off by an excerpt', (pem: string) => pem.slice(0, pem.indexOf('-----END'))],
    ['quoted', (pem: string) => pem.replace(/^/gm, '> ')],
    ['on one line with escapes', (pem: string) => `{"private_key": "${pem.replaceAll('\n', '\\n')}"}`],
    ['with Windows line ends', (pem: string) => pem.replaceAll('\n', '\r\n')],
  ])('finds a private key %s', (_, change) => {
    const { text: pem, parts } = fillShape(config.patterns['private-key']?.shape ?? '', random);
    const { text } = scrubber.scrub(change(pem));
    for (const part of parts) expect(text.includes(part)).toBe(false);
  });

  it('takes a key with few different characters', () => {
    expect(names(`id ${['AKIA', 'AAAABBBBCCCCDDDD'].join('')} in use`)).toEqual(['aws-access-key']);
  });

  it('finds a token inside a URL', () => {
    expect(names(`see https://x.test/a?token=${fill('{alnum:32}')}&page=2`)).toEqual(['assigned-secret']);
    expect(names(`git clone https://${fill('ghp_{alnum:36}')}@github.test/a/b`)).toEqual(['github-pat']);
  });

  it('finds a key in an address that is no script, also behind &amp;', () => {
    expect(names(`https://api.test/v1/items?page=2&amp;api_key=${fill('{alnum:32}')}&amp;x=1`)).toEqual([
      'assigned-secret',
    ]);
    expect(names(`curl -s -X POST -u admin:${fill('{alnum:20}')} https://x.test/`)).toEqual(['curl-user']);
  });

  it('keeps lines right where many secrets stand on one', () => {
    const token = () => `token=${fill('{alnum:32}')}`;
    const { findings } = scrubber.scrub(`${token()} ${token()}\n\n${token()}\n`);
    expect(findings.map(({ line }) => line)).toEqual([1, 1, 3]);
  });

  it('finds secrets behind escapes that end in a letter', () => {
    expect(names(`"a\\n${fill('ghp_{alnum:36}')}"`)).toEqual(['github-pat']);
    expect(names(`?q=%3D${fill('ghp_{alnum:36}')}`)).toEqual(['github-pat']);
  });

  it('sees through the escapes of converted Markdown and of JSON inside JSON', () => {
    const token = fill('github_pat_{alnum:22}_{alnum:59}');
    expect(scrubber.scrub(`use ${token.replaceAll('_', '\\_')}, then`).text).toBe(
      'use [REDACTED:github-fine-grained-pat], then',
    );
    const inner = JSON.stringify(JSON.stringify({ api_key: fill('{alnum:32}') }));
    expect(names(inner)).toEqual(['assigned-secret']);
    expect(JSON.parse(JSON.parse(scrubber.scrub(inner).text) as string)).toEqual({
      api_key: '[REDACTED:assigned-secret]',
    });
  });

  it('reads the data of a Kubernetes Secret wherever it stands in the manifest', () => {
    const value = fill('{b64:24}');
    const entry = `data:\n  user: ${value}\n`;
    for (const manifest of [`kind: Secret\n${entry}type: Opaque\n`, `${entry}kind: Secret\n`]) {
      expect(scrubber.scrub(manifest).text).toBe(manifest.replace(value, '[REDACTED:kubernetes-secret]'));
    }
    expect(names(`kind: ConfigMap\n${entry}`)).toEqual([]);
  });

  it.each([
    'model: sentence-transformers/all-MiniLM-L6-v2',
    'token: models/potion-base-8M/tokenizer.json',
    'fixed in 3f2c9a17be04d5c6a7b8091a2b3c4d5e6f708192',
    'key commit: 3f2c9a17be04d5c6a7b8091a2b3c4d5e6f708192',
    'The word REDACTED, and [REDACTED] too',
    'password: [REDACTED:assigned-password]',
    'password is required. Password: required',
    'Forgot your password? Reset it within 24 hours.',
    'max_tokens: 4000 and token_budget: 2000tokens',
    'primary_key: customer_order_id_2024',
    'public_key = ssh.pub4567abcdefg',
    'API_KEY=${API_KEY} and token: ${{ secrets.GITHUB_TOKEN }}',
    'token = process.env.API_TOKEN1',
    'password: "<your password here>"',
    'secret: xxxxxxxxxxxxxxxxxxxx',
    'postgres://user:password@localhost/db',
    'turkey: 9f8e7d6c5b4a39281706f5e4d3c2b1a0',
    'let SetSysctl = "pu2hz9k1lmq8rt7vwx3y4abc"',
    `<script src="https://cdn.maps.test/js/maps.js?v=3&amp;apiKey=${fill('{alnum:32}')}"></script>`,
    `"site-token":"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA${fill('{alnum:40}')}"`,
    'mysql://keystone:foobar@127.0.0.1/keystone',
    'https://app.test/login?username=michiel&amp;password=something&amp;allow=all',
  ])('leaves the decoy %j alone', (text) => {
    expect(scrubber.scrub(text)).toEqual({ text, findings: [] });
  });

  it('changes nothing in its own output, whatever stands around the secrets', () => {
    const shapes = Object.values(config.patterns).map((rule) => rule.shape ?? '');
    const piece = fc.oneof(
      fc
        .integer({ min: 0, max: shapes.length - 1 })
        .chain((i) => fc.integer().map((seed) => fillShape(shapes[i] ?? '', seeded(seed)).text)),
      fc.constantFrom(
        'token=',
        'password: ',
        '"',
        "'",
        '\n',
        ' ',
        '-----BEGIN PRIVATE KEY-----',
        '://',
        ':',
        '@',
        '[REDACTED:jwt]',
        'kind: Secret\ndata:\n',
        'eyJ',
        '=',
        '.',
        'key',
      ),
      fc.string({ maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const input = pieces.join('');
        const once = scrubber.scrub(input);
        const twice = scrubber.scrub(once.text);
        expect(twice.text).toBe(once.text);
        expect(twice.findings).toEqual([]);
        expect(once.text.split('\n').length).toBe(input.split('\n').length);
        for (const { start, end } of once.findings) expect(start).toBeLessThan(end);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('scrubValue', () => {
  it('scrubs strings and keys at any depth and keeps what is clean', () => {
    const secret = fill('ghp_{alnum:36}');
    const clean = { tags: ['a', 'b'] };
    const vector = new Float32Array([1, 2]);
    const value = { clean, vector, list: [`see ${secret}`], [`k ${secret}`]: 1, when: null };
    const scrubbed = scrubber.scrubValue(value);
    expect(scrubbed).toEqual({
      clean,
      vector,
      list: ['see [REDACTED:github-pat]'],
      'k [REDACTED:github-pat]': 1,
      when: null,
    });
    expect(scrubbed.clean).toBe(clean);
    expect(scrubber.scrubValue(clean)).toBe(clean);
  });

  it('judges a value together with its key', () => {
    expect(scrubber.scrubValue({ db_password: 'tr0ub4dor&3x', title: 'tr0ub4dor&3x' })).toEqual({
      db_password: '[REDACTED:assigned-password]',
      title: 'tr0ub4dor&3x',
    });
  });

  it('scrubs errors with their causes and cyclic values', () => {
    const secret = fill('ghp_{alnum:36}');
    const error = new TypeError(`bad ${secret}`, { cause: new Error(secret) });
    const scrubbed = scrubber.scrubValue(error);
    expect(scrubbed).toBeInstanceOf(TypeError);
    expect(`${scrubbed.message}${scrubbed.stack}${String(scrubbed.cause)}`).not.toContain(secret);
    const loop: { text: string; self?: unknown } = { text: 'x' };
    loop.self = loop;
    expect(scrubber.scrubValue(loop)).toBe(loop);
  });

  it('reports each finding', () => {
    const found: string[] = [];
    scrubber.scrubValue({ a: fill('ghp_{alnum:36}'), b: [fill('glpat-{url:20}')] }, (pattern) => found.push(pattern));
    expect(found).toEqual(['github-pat', 'gitlab-token']);
  });
});

describe('a vault’s own patterns', () => {
  const withCustom = (custom: unknown) => createScrubber(secretsSchema.parse({ ...config, custom }));

  it('are found, and name the region before shipped ones', () => {
    const own = withCustom({
      'acme-key': { description: 'Acme', keywords: ['acme_'], regex: 'acme_(?<secret>[a-z0-9]{32})' },
    });
    expect(own.scrub(`token: ${fill('acme_{low:32}')}`).text).toBe('token: [REDACTED:acme-key]');
  });

  it('cannot stall the scrubber', () => {
    const own = withCustom({ evil: { description: 'x', keywords: ['aaaa'], regex: '(a|aa)+$' } });
    const start = performance.now();
    own.scrub(`${'a'.repeat(20_000)}b`);
    expect(performance.now() - start).toBeLessThan(2_000);
  });

  it('are refused with a reason when RE2 lacks what they use', () => {
    expect(() => withCustom({ bad: { description: 'x', keywords: ['abc'], regex: 'abc(?=d)' } })).toThrow(
      /"bad" is not valid for RE2/,
    );
  });

  it('respect the allow list', () => {
    const key = fill('ghp_{alnum:36}');
    const own = createScrubber({ ...config, allow: [`^${key}$`] });
    expect(own.scrub(key).findings).toEqual([]);
  });
});
