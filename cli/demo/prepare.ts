/** Lays out the demo's vault: template, settings that allow the loopback server, and the samples that are files. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { initVault } from '../../workspace/init.js';
import { sampleText } from './server.js';

/** Writes the vault. `samples` is the folder of shipped samples, `base` the server's address. */
export function prepareDemoVault(vault: string, samples: string, base: string): void {
  initVault(vault);
  const own = join(vault, '.pipeline');
  const copies = join(own, 'demo');
  for (const kind of ['mail', 'lists']) {
    mkdirSync(join(copies, kind), { recursive: true });
    for (const name of readdirSync(join(samples, kind))) {
      writeFileSync(join(copies, kind, name), sampleText(join(samples, kind, name), base));
    }
  }
  for (const name of readdirSync(join(samples, 'inbox'))) {
    writeFileSync(join(vault, '00-inbox', name), sampleText(join(samples, 'inbox', name), base));
  }
  const feed = (name: string, file: string): object => ({ name, kind: 'feed', url: `${base}/feeds/${file}` });
  const sources = [
    feed('Patchwork', 'patchwork.xml'),
    feed('Riverbend', 'riverbend.atom'),
    feed('Marginalia', 'marginalia.json'),
    feed('Systems Almanac', 'almanac.rdf'),
    feed('Planet Patch', 'mirror.xml'),
    feed('Broken feed', 'broken.xml'),
    { name: 'Newsletters', kind: 'mail', url: '.pipeline/demo/mail' },
    { name: 'Bookmarks', kind: 'bookmarks', url: '.pipeline/demo/lists/bookmarks.html' },
    { name: 'Reading list', kind: 'list', url: '.pipeline/demo/lists/links.txt' },
    { name: 'Inbox', kind: 'inbox', url: '00-inbox' },
  ];
  writeFileSync(
    join(own, 'sources.yaml'),
    `# The demo's sources; its web server is gone when the demo ends.\n${stringify({ sources })}`,
  );
  const config = { http: { allowPrivateHosts: true, spacing: '0ms' } };
  writeFileSync(
    join(own, 'config.yaml'),
    `# The demo reads from a server on this machine; real vaults leave this off.\n${stringify({ config })}`,
  );
}
