/** Writes notes into the vault: one item one note, wherever the user moved it, with the user's edits kept. */
import { z } from 'zod';
import { mergeNote } from '../../lib/identity/merge-note.js';
import { withMark } from '../../lib/note/file-name.js';
import { NoteFinder, noteId } from '../../lib/note/note-finder.js';
import { folderFor, nextText } from '../../lib/note/placement.js';
import { exactText, isoDay, noteText } from '../../lib/note/text.js';
import type { NoteDraft, WrittenNote } from '../../runner/items.js';
import { type Drop, defineStage, drop, type StageContext } from '../../runner/stage.js';

type Context = StageContext<'vault' | 'ledger'>;

const folder = z.string().regex(/^(?!.*\.\.)[^/\\].*[^/\\]$/, 'must be a folder inside the vault');

export const writeNote = defineStage({
  name: 'write-note',
  summary: 'Writes notes atomically; finds a note again by its id and merges updates with the user’s edits.',
  docs: `Idempotent: an unchanged item changes no byte. A note is found by the ledger, else by the \`id\` in its frontmatter,
so a crash between the note and the ledger, a rename or a move never makes a second one. A note the user deleted stays
deleted. Updates are three-way merges of what was written last, what would be written now and what lies there.`,
  takes: 'Draft',
  gives: 'WrittenNote',
  mode: 'sink',
  config: z.strictObject({
    write: folder.default('05-signals/{domain}').describe('Folder of filed signals; `{domain}` is replaced.'),
    review: folder.default('00-inbox').describe('Folder of what waits for review, and of captures.'),
  }),
  effects: ['writes'],
  needs: ['vault', 'ledger'],
  create: (config) => {
    // A plan outlives its runs; what a run knows of the vault is kept under that run's own signal.
    const finders = new WeakMap<AbortSignal, NoteFinder>();
    const folders = [config.write.replace(/\/?\{.*$/, ''), config.review];
    return {
      async run(draft, ctx): Promise<WrittenNote | Drop> {
        const finder = finders.get(ctx.signal) ?? new NoteFinder(await ctx.use('vault'), folders);
        finders.set(ctx.signal, finder);
        const id = draft.frontmatter['id'];
        const place = typeof id === 'string' ? await locate(id, draft, finder, ctx) : undefined;
        if (place === 'deleted') return drop('note-deleted', 'the user removed the note; it is not written again');
        if (place !== undefined) return update(place, draft, finder, ctx);
        return create(folderFor(draft, config), draft, finder, ctx);
      },
    };
  },
});

/** Where the item's note is now; undefined when it never had one. */
async function locate(id: string, draft: NoteDraft, finder: NoteFinder, ctx: Context) {
  const { notePath } = draft.signal?.article ?? {};
  if (notePath !== undefined) return notePath;
  const known = (await (await ctx.use('ledger')).get(id))?.note;
  if (known === undefined) return finder.find(id);
  const vault = await ctx.use('vault');
  // A note whose `id` the user removed is still the note at that path; one with another id is another note.
  if ((await vault.exists(known)) && (noteId((await readNote(known, ctx)) ?? '') ?? id) === id) return known;
  return (await finder.findAnywhere(id)) ?? 'deleted';
}

async function create(into: string, draft: NoteDraft, finder: NoteFinder, ctx: Context): Promise<WrittenNote> {
  const { frontmatter, body, signal } = draft;
  const id = typeof frontmatter['id'] === 'string' ? frontmatter['id'] : undefined;
  if (id !== undefined) await finder.find(id);
  const path = await freePath(into === '' ? draft.path : `${into}/${draft.path}`, id, finder);
  const today = isoDay(ctx.now());
  const text = noteText({ ...frontmatter, created: today, updated: today }, body);
  if (!ctx.dryRun) {
    await (await ctx.use('vault')).write(path, text);
    // After the note: were it before, a crash in between would make the missing note look like the user's edit.
    await (await ctx.use('ledger')).setLastWritten(path, text);
    ctx.written();
  }
  finder.add(path, id);
  ctx.note(`created ${path}`);
  return written(path, 'created', signal);
}

async function update(path: string, draft: NoteDraft, finder: NoteFinder, ctx: Context): Promise<WrittenNote> {
  const { signal } = draft;
  const vault = await ctx.use('vault');
  const ledger = await ctx.use('ledger');
  const disk = await readNote(path, ctx);
  if (disk === undefined) {
    ctx.log('warn', `${path} cannot be read as UTF-8 text; it is left as it is.`);
    return written(path, 'unchanged', signal);
  }
  const base = signal?.article.notePath === undefined ? await baseFor(path, draft, ctx) : undefined;
  const next = nextText(draft, { base, disk, today: isoDay(ctx.now()) });
  const { text, conflicts } = mergeNote({ base, next, disk });
  if (conflicts > 0) ctx.note(`${conflicts} place(s) the user changed were kept`);
  if (!ctx.dryRun) {
    if (text !== disk) {
      await vault.write(path, text);
      ctx.written();
    }
    if (next !== base && signal?.article.notePath === undefined) await ledger.setLastWritten(path, next);
  }
  finder.add(path, typeof draft.frontmatter['id'] === 'string' ? draft.frontmatter['id'] : undefined);
  ctx.note(`${text === disk ? 'unchanged' : 'updated'} ${path}`);
  return written(path, text === disk ? 'unchanged' : 'updated', signal);
}

/** What was written last; a moved note's is still kept under its old path. */
async function baseFor(path: string, draft: NoteDraft, ctx: Context): Promise<string | undefined> {
  const ledger = await ctx.use('ledger');
  const here = await ledger.lastWritten(path);
  const id = draft.frontmatter['id'];
  if (here !== undefined || typeof id !== 'string') return here;
  const before = (await ledger.get(id))?.note;
  return before === undefined || before === path ? undefined : ledger.lastWritten(before);
}

async function freePath(path: string, id: string | undefined, finder: NoteFinder): Promise<string> {
  if (!(await finder.isTaken(path))) return path;
  const marked = id === undefined ? path : withMark(path, id.slice(-6));
  if (!(await finder.isTaken(marked))) return marked;
  for (let n = 2; ; n++) {
    const numbered = withMark(path, String(n));
    if (!(await finder.isTaken(numbered))) return numbered;
  }
}

async function readNote(path: string, ctx: Context): Promise<string | undefined> {
  const vault = await ctx.use('vault');
  return (await vault.exists(path)) ? exactText(await vault.read(path)) : undefined;
}

function written(path: string, change: WrittenNote['change'], signal: NoteDraft['signal']): WrittenNote {
  return { path, change, ...(signal === undefined ? {} : { signal }) };
}
