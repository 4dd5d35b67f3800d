/** The terminal side of triage: reads keys, performs what they ask for, draws. */
import { spawn } from 'node:child_process';
import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream, WriteStream } from 'node:tty';
import { messageOf } from '../../runner/errors.js';
import { accept, reject, type TriageResult, type TriageTools, undo } from '../../workspace/triage/actions.js';
import type { Output } from '../output.js';
import { itemOf, pendingItems } from './items.js';
import { type Effect, initialState, press, restored, settled, type TriageState } from './state.js';
import { render } from './view.js';

export interface Terminal {
  readonly input: ReadStream;
  readonly screen: WriteStream;
  readonly output: Output;
  readonly colour: boolean;
}

/** Runs until the user quits or nothing is left. Gives what was done. */
export async function triageSession(
  tools: TriageTools,
  domains: readonly string[],
  terminal: Terminal,
): Promise<TriageState['done']> {
  let state = initialState(await pendingItems(tools.ledger), domains);
  const { input, output } = terminal;
  const draw = () => {
    // A terminal that does not know its size (serial lines, bare pseudo-terminals) says 0.
    const columns = terminal.screen.columns || 80;
    const rows = terminal.screen.rows || 24;
    const lines = render(state, { columns, rows, colour: terminal.colour });
    // Home, the lines each cleared to their end, and the rest of the screen cleared: no flicker.
    return output.text(`\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\r\n')}\x1b[J`);
  };
  const keys = new KeyReader(input);
  await output.text('\x1b[?1049h\x1b[?25l');
  try {
    for (;;) {
      await draw();
      const key = await keys.next();
      const { state: next, effect } = press(state, key);
      state = next;
      if (effect?.type === 'quit') return state.done;
      if (effect) state = await perform(effect, state, tools);
    }
  } finally {
    keys.close();
    await output.text('\x1b[?25h\x1b[?1049l');
  }
}

async function perform(effect: Effect, state: TriageState, tools: TriageTools): Promise<TriageState> {
  try {
    switch (effect.type) {
      case 'accept':
      case 'reject': {
        const rows = state.items.filter((item) => effect.ids.includes(item.row.id)).map((item) => item.row);
        const result = effect.type === 'accept' ? await accept(tools, rows, effect.domain) : await reject(tools, rows);
        const ids = result.rows.map((row) => row.id);
        return settled(state, effect.type, ids, describe(result));
      }
      case 'undo': {
        const result = await undo(tools);
        const waiting = result.rows.filter((row) => row.outcome === 'review' || row.outcome === 'unscored');
        return restored(state, result.undone ?? 'accept', waiting.map(itemOf), describe(result));
      }
      case 'open':
        return { ...state, message: openItem(state, effect.id) };
      default:
        return state;
    }
  } catch (error) {
    return { ...state, message: messageOf(error) };
  }
}

/** One line: what was done, and what could not be. */
export function describe({ action, rows, problems }: TriageResult): string {
  const verb = { accept: 'Accepted', reject: 'Rejected', undo: 'Taken back:' }[action];
  const [first] = rows;
  const where = action === 'accept' && rows.length === 1 && first?.note ? ` -> ${first.note}` : '';
  const what = rows.length === 1 ? `"${first?.title ?? ''}"` : `${rows.length} items`;
  const failed = problems.map(({ reason }) => reason).join(' ');
  return [rows.length > 0 || problems.length === 0 ? `${verb} ${what}${where}` : '', failed].filter(Boolean).join('. ');
}

/** Opens the source in the system's browser; only web addresses, and never through a shell. */
function openItem(state: TriageState, id: string): string {
  const url = state.items.find((item) => item.row.id === id)?.row.url;
  if (url === undefined || !/^https?:\/\//i.test(url)) return 'This item has no web address.';
  const opener = { darwin: 'open', win32: 'explorer.exe' }[process.platform as string] ?? 'xdg-open';
  const child = spawn(opener, [url], { detached: true, stdio: 'ignore' });
  child.on('error', () => undefined);
  child.unref();
  return `Opening ${url}`;
}

/** Key presses one after the other: a key pressed while an action runs waits for its turn. */
class KeyReader {
  readonly #waiting: ((key: string) => void)[] = [];
  readonly #pressed: string[] = [];
  readonly #onKey = (text: string | undefined, key: Key) => this.#push(keyName(text, key));
  readonly #onEnd = () => this.#push('ctrl-c');

  constructor(readonly input: ReadStream) {
    emitKeypressEvents(input);
    input.setRawMode(true);
    input.on('keypress', this.#onKey);
    input.on('end', this.#onEnd);
    input.resume();
  }

  next(): Promise<string> {
    const key = this.#pressed.shift();
    return key === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(key);
  }

  close(): void {
    this.input.off('keypress', this.#onKey);
    this.input.off('end', this.#onEnd);
    this.input.setRawMode(false);
    this.input.pause();
  }

  #push(key: string): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(key);
    else this.#pressed.push(key);
  }
}

/** Names for the keys that print nothing, the character for all others. */
function keyName(text: string | undefined, { name, ctrl }: Key): string {
  if (ctrl && name !== undefined) return `ctrl-${name}`;
  return text !== undefined && /^[\p{L}\p{N}\p{P}\p{S} ]$/u.test(text) ? text : (name ?? '');
}
