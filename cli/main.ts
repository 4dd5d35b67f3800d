#!/usr/bin/env node
/** The `pipeline` binary. Answers --version without loading anything; everything else starts in program.ts. */
import { readFileSync } from 'node:fs';

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  const manifest = new URL('../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  process.stdout.write(`${version}\n`);
} else {
  const { main } = await import('./program.js');
  process.exitCode = await main(args);
}
