/**
 * The team deployment, as far as it can be tested without a container engine: that the Compose file says what it means,
 * that its commands exist, and that its scripts run. `roles.sql` itself is tested with the store.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { parsePlace } from '../../store/pgvector/connection.js';
import { runCli, temporaryFolder } from '../support/cli.js';

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly restart?: string;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly profiles?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const text = readFileSync('deploy/compose.yaml', 'utf8');
const compose = parse(text, { merge: true }) as Compose;
const services = Object.entries(compose.services);
const ours = services.filter(([, { build }]) => build !== undefined);

describe('deploy/compose.yaml', () => {
  test('every service restarts, says how it is, and comes from a version that stands still', () => {
    expect(services.map(([name]) => name)).toEqual(['db', 'indexer', 'mcp', 'git']);
    for (const [name, { restart, healthcheck, image = '', build }] of services) {
      expect([name, restart]).toEqual([name, 'unless-stopped']);
      expect(healthcheck?.test.length, name).toBeGreaterThan(1);
      if (!build) expect(image).toMatch(/:\d[\w.-]+$/);
    }
  });

  test('mounts only files that are there, volumes and secrets that are declared', () => {
    for (const [, { volumes = [], secrets = [], build }] of services) {
      for (const volume of volumes) {
        const [source = ''] = volume.replace(/^\$\{[^}]*\}/, '$').split(':');
        if (source.startsWith('./')) expect(existsSync(join('deploy', source)), source).toBe(true);
        else if (source !== '$') expect(Object.keys(compose.volumes)).toContain(source);
      }
      for (const secret of secrets) expect(Object.keys(compose.secrets)).toContain(secret);
      if (build) expect(existsSync(join('deploy', build.context, build.dockerfile))).toBe(true);
    }
  });

  test('the indexer has the writing URL, agents the reading one, and the vault is read only', () => {
    expect(compose.services['indexer']?.secrets).toEqual(['indexer_store']);
    expect(compose.services['mcp']?.secrets).toEqual(['reader_store', 'mcp_token']);
    for (const [, { environment, volumes, secrets }] of ours) {
      const file = environment?.['SLUICE_STORE']?.replace('file:/run/secrets/', '');
      expect(secrets).toContain(file);
      expect(volumes?.find((volume) => volume.includes(':/vault'))).toMatch(/:ro$/);
    }
    // Reached from this machine only, and never without the token.
    for (const [, { ports = [] }] of services) for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    expect(compose.services['mcp']?.command).toContain('--token-file');
  });

  test('no secret stands in it', () => {
    expect(text).not.toMatch(/postgres(ql)?:\/\//);
    expect(text).not.toMatch(/(PASSWORD|TOKEN): /);
    expect(readFileSync('.gitignore', 'utf8')).toContain('deploy/secrets/');
    expect(readFileSync('.dockerignore', 'utf8')).toContain('deploy/secrets');
  });

  test.each(
    ours.map(([name, { command = [], healthcheck }]) => [name, command, healthcheck?.test.slice(1) ?? []] as const),
  )('%s runs a command that exists, with options it has', async (_, command, health) => {
    const [program, ...check] = health;
    for (const words of [command, ...(program === 'pipeline' ? [check] : [])]) {
      const help = await runCli([words[0] ?? '', '--help']);
      expect(help.code).toBe(0);
      for (const word of words.filter((w) => w.startsWith('--'))) expect(help.stdout).toContain(word);
    }
  });
});

test('the image is built from what is there, runs as nobody special, and starts the program', () => {
  const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');
  const { version, files, bin } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    version: string;
    files: string[];
    bin: { pipeline: string };
  };
  expect(version).toMatch(/^\d/);
  expect(files.some((file) => file.startsWith('deploy'))).toBe(false);
  expect(dockerfile).toContain(`ln -s /app/${bin.pipeline} /usr/local/bin/pipeline`);
  expect(dockerfile.match(/^FROM .*$/gm)?.every((line) => line.startsWith('FROM node:20-'))).toBe(true);
  expect(dockerfile.lastIndexOf('USER node')).toBeGreaterThan(dockerfile.lastIndexOf('RUN'));
  const ignored = readFileSync('.dockerignore', 'utf8').split('\n');
  // What the build needs must not be kept from it.
  for (const needed of ['package.json', 'tools', 'deploy', 'config', 'pipelines', 'models', 'docs'])
    expect(ignored).not.toContain(needed);
});

test('make-secrets.sh makes what the Compose file names, once, and keeps it from others', () => {
  const folder = temporaryFolder('deploy');
  cpSync('deploy/make-secrets.sh', join(folder, 'make-secrets.sh'));
  const run = (): string => execFileSync('sh', [join(folder, 'make-secrets.sh')], { encoding: 'utf8' });
  run();
  const read = (name: string): string => readFileSync(join(folder, 'secrets', name), 'utf8').trim();
  const first = Object.keys(compose.secrets).map(read);
  expect(new Set(first).size).toBe(first.length);
  for (const secret of first) expect(secret.length).toBeGreaterThanOrEqual(48);
  expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
  for (const role of ['indexer', 'reader']) {
    const url = read(`${role}_store`);
    expect(parsePlace(url)).toMatchObject({ schema: 'team', shown: 'db:5432/knowledge (schema team)' });
    expect(new URL(url)).toMatchObject({ username: `sluice_${role}`, password: read(`${role}_password`) });
  }
  run();
  expect(Object.keys(compose.secrets).map(read)).toEqual(first);
});
