import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { comparePaths } from '../../../lib/vault/paths.js';
import { openVault } from '../../../lib/vault/vault.js';

let base: string;
let root: string;
const put = (path: string, text = 'text\n', under = root): void => {
  mkdirSync(dirname(join(under, path)), { recursive: true });
  writeFileSync(join(under, path), text);
};
const walk = async (): Promise<{ paths: string[]; problems: Record<string, string> }> => {
  const problems: Record<string, string> = {};
  const paths: string[] = [];
  const note = (at: string, reason: string): void => {
    problems[at] = reason;
  };
  for await (const { path } of openVault(root).walk(note)) paths.push(path);
  return { paths, problems };
};

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'vault-'));
  root = join(base, 'vault');
  mkdirSync(root);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

describe('walking', () => {
  test('gives Markdown files ordered by path bytes, and nothing else', async () => {
    const names = ['b.md', 'a/b.md', 'a.md', 'a-b/c.markdown', 'ﬀ.md', '😀.md', 'Z.MD'];
    for (const name of [
      ...names,
      'image.png',
      '.obsidian/x.md',
      '.hidden.md',
      'node_modules/p/readme.md',
      'folder.md/note.md',
    ])
      put(name);
    const { paths } = await walk();
    expect(paths).toEqual([...names, 'folder.md/note.md'].sort(comparePaths));
    expect(paths).toEqual([...paths].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
  });

  test('obeys .indexignore, also when it changes while the vault is open', async () => {
    put('.indexignore', 'private/\n*.draft.md\n!keep.draft.md\n');
    for (const path of ['private/a.md', 'x/private/b.md', 'c.draft.md', 'keep.draft.md', 'd.md']) put(path);
    const vault = openVault(root);
    expect((await walk()).paths).toEqual(['d.md', 'keep.draft.md']);
    expect(vault.ignored('private/a.md')).toBe(true);
    expect(vault.ignored('private/')).toBe(true);
    await expect(vault.read('private/a.md')).rejects.toMatchObject({ code: 'path-ignored' });
    put('.indexignore', 'd.md\nno-longer-private/\n');
    expect(vault.ignored('private/a.md')).toBe(false);
    await expect(vault.read('d.md')).rejects.toMatchObject({ code: 'path-ignored' });
  });

  test('links are not followed: out of the vault, in loops, to nowhere; each is named', async () => {
    put('outside.md', 'secret\n', base);
    put('folder/secret.md', 'secret\n', base);
    put('a.md');
    mkdirSync(join(root, 'loop'));
    symlinkSync(join(base, 'outside.md'), join(root, 'link.md'));
    symlinkSync(join(base, 'folder'), join(root, 'linked'));
    symlinkSync(root, join(root, 'loop', 'again'));
    symlinkSync('nowhere.md', join(root, 'dangling.md'));
    symlinkSync('self.md', join(root, 'self.md'));
    const { paths, problems } = await walk();
    expect(paths).toEqual(['a.md']);
    expect(Object.keys(problems).sort()).toEqual(['dangling.md', 'link.md', 'linked', 'self.md']);
    const vault = openVault(root);
    await expect(vault.read('link.md')).rejects.toMatchObject({ code: 'path-outside' });
    await expect(vault.read('linked/secret.md')).rejects.toMatchObject({ code: 'path-outside' });
    await expect(vault.write('linked/new.md', 'x')).rejects.toMatchObject({ code: 'path-outside' });
    await expect(vault.write('linked/deep/new.md', 'x')).rejects.toMatchObject({ code: 'path-outside' });
    expect(readdirSync(join(base, 'folder'))).toEqual(['secret.md']);
    expect(vault.entry('loop/again/a.md')).toBeUndefined();
    expect(vault.entry('a.md')?.path).toBe('a.md');
  });

  test('a missing root is an error, not an empty vault', async () => {
    const vault = openVault(root);
    rmSync(root, { recursive: true });
    const first = vault
      .walk(() => undefined)
      [Symbol.asyncIterator]()
      .next();
    await expect(first).rejects.toMatchObject({ code: 'vault-missing', fatal: true });
    expect(() => openVault(root)).toThrow(expect.objectContaining({ code: 'vault-missing' }));
    writeFileSync(root, 'a file where the vault was');
    await expect(
      vault
        .walk(() => undefined)
        [Symbol.asyncIterator]()
        .next(),
    ).rejects.toMatchObject({ code: 'vault-unreadable' });
  });
});

describe('reading and writing', () => {
  test.each(['../outside.md', '/etc/passwd', 'a/../../x.md', 'C:\\x.md', 'a\0.md', '..\\x.md'])(
    '%j is refused',
    async (path) => {
      put('a/b.md');
      const vault = openVault(root);
      await expect(vault.read(path)).rejects.toMatchObject({ code: 'path-outside' });
      await expect(vault.write(path, 'x')).rejects.toMatchObject({ code: 'path-outside' });
      expect(vault.ignored(path)).toBe(true);
    },
  );

  test('finds a file under another Unicode normal form', async () => {
    put('Résumé/café.md'.normalize('NFD'), 'found');
    const vault = openVault(root);
    expect(Buffer.from(await vault.read('Résumé/café.md'.normalize('NFC'))).toString()).toBe('found');
    await vault.write('Résumé/café.md'.normalize('NFC'), 'changed');
    expect((await walk()).paths).toEqual(['Résumé/café.md'.normalize('NFD')]);
  });

  test('writes whole files, keeps the mode, leaves no temporary file', async () => {
    const vault = openVault(root);
    const stat = await vault.write('new/deep/a.md', 'hello');
    expect(stat).toEqual(await vault.stat('new/deep/a.md'));
    writeFileSync(join(root, 'b.md'), 'old', { mode: 0o600 });
    await vault.write('b.md', 'new');
    expect(readFileSync(join(root, 'b.md'), 'utf8')).toBe('new');
    const { statSync } = await import('node:fs');
    expect(statSync(join(root, 'b.md')).mode & 0o777).toBe(0o600);
    expect(readdirSync(root)).toEqual(['b.md', 'new']);
  });

  test('a folder or an absent file is not found', async () => {
    put('a/b.md');
    const vault = openVault(root);
    await expect(vault.read('a')).rejects.toMatchObject({ code: 'not-found' });
    await expect(vault.read('c.md')).rejects.toMatchObject({ code: 'not-found' });
    expect(await vault.stat('c.md')).toBeUndefined();
  });

  test('renames and removes, but never over another note', async () => {
    put('a.md', 'a');
    put('b.md', 'b');
    const vault = openVault(root);
    await expect(vault.rename('a.md', 'b.md')).rejects.toMatchObject({ code: 'path-exists' });
    await vault.rename('a.md', 'x/c.md');
    await vault.remove('b.md');
    expect((await walk()).paths).toEqual(['x/c.md']);
  });
});
