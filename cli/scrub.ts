/** What `pipeline scrub` does, apart from its options. */
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadSecrets } from '../config/secrets.js';
import { packagePath } from '../lib/package-root.js';
import { type Leak, type LeakReport, leaksOf, toSarif } from '../lib/secrets/report.js';
import type { SecretsConfig } from '../lib/secrets/rules.js';
import { createScrubber } from '../lib/secrets/scrubber.js';
import { scrubStream } from '../lib/secrets/stream.js';
import { openVault } from '../lib/vault/vault.js';
import { ConfigError, messageOf } from '../runner/errors.js';
import type { ScrubFlags } from './commands/scrub.js';
import { Output } from './output.js';

/** The patterns of the named vault, or the shipped ones: scrubbing text needs no vault. */
function secretsFor(vault: string | undefined): SecretsConfig {
  const userDir = vault === undefined ? undefined : join(resolve(vault), '.pipeline');
  return loadSecrets({ userDir, env: process.env });
}

/** Scrubs a file or stdin to stdout. Text streams; with --json it is read whole. */
export async function scrubText(file: string | undefined, flags: ScrubFlags): Promise<number> {
  if (file !== undefined && file !== '-' && !existsSync(file)) {
    throw new ConfigError('file-missing', `The file ${file} does not exist.`, {
      remedy: 'Name a text file, or pipe text in.',
    });
  }
  const scrubber = createScrubber(secretsFor(flags.vault));
  const output = new Output(flags);
  const input = file === undefined || file === '-' ? process.stdin : createReadStream(file);
  input.setEncoding('utf8');
  let text = '';
  const findings: { pattern: string; line: number }[] = [];
  for await (const piece of scrubStream(scrubber, input as AsyncIterable<string>)) {
    findings.push(...piece.findings);
    if (output.wantsJson) text += piece.text;
    else await output.text(piece.text);
  }
  if (output.wantsJson) await output.json({ text, findings });
  return 0;
}

/** Reports every note the index would read. Exit code 1 when a credential was found or a note could not be read. */
export async function reportVault(dir: string, flags: ScrubFlags): Promise<number> {
  const output = new Output(flags);
  const config = secretsFor(dir);
  const report = await searchVault(dir, config);
  const format = flags.format ?? (output.wantsJson ? 'json' : 'text');
  if (format === 'sarif') await output.json(toSarif(report.findings, config, await version()));
  else if (format === 'json') await output.json(report);
  else for (const leak of report.findings) await output.line(describeLeak(leak));
  for (const { file, reason } of report.unreadable) await output.info(`${file}: not read (${reason})`);
  const notes = new Set(report.findings.map((f) => f.file)).size;
  await output.info(
    report.findings.length === 0
      ? `No credentials in ${report.notes} note(s).`
      : `${report.findings.length} credential(s) in ${notes} of ${report.notes} note(s). Move them to a secret store and revoke them: the files on disk still hold them.`,
  );
  return report.findings.length > 0 || report.unreadable.length > 0 ? 1 : 0;
}

async function searchVault(dir: string, config: SecretsConfig): Promise<LeakReport> {
  const vault = openVault(resolve(dir));
  const scrubber = createScrubber(config);
  const unreadable: { file: string; reason: string }[] = [];
  const problem = (file: string, reason: string): void => {
    unreadable.push({ file: scrubber.scrub(file).text, reason });
  };
  const findings: Leak[] = [];
  let notes = 0;
  for await (const { path } of vault.walk(problem)) {
    notes++;
    try {
      findings.push(...leaksOf(path, new TextDecoder().decode(await vault.read(path)), scrubber));
    } catch (error) {
      problem(path, messageOf(error));
    }
  }
  return { notes, unreadable, findings };
}

const describeLeak = ({ file, line, pattern }: Leak): string =>
  line === 0 ? `${file}: file name: ${pattern}` : `${file}:${line}: ${pattern}`;

async function version(): Promise<string> {
  const manifest = JSON.parse(await readFile(packagePath('package.json'), 'utf8')) as { version: string };
  return manifest.version;
}
