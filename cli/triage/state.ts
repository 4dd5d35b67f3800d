/** The triage interface without the terminal: what is shown, and what each key does. Pure. */
import type { LedgerRow } from '../../store/ledger.js';

export interface TriageItem {
  readonly row: LedgerRow;
  /** Plain text, a few lines. */
  readonly excerpt: string;
}

export type Mode = 'browse' | 'domain' | 'help' | 'confirm';

export interface TriageState {
  readonly items: readonly TriageItem[];
  readonly at: number;
  readonly mode: Mode;
  readonly domains: readonly string[];
  /** What `confirm` is about. */
  readonly pending?: Effect;
  /** One line about the latest action. */
  readonly message: string;
  readonly done: { readonly accepted: number; readonly rejected: number };
}

/** What the terminal has to do for a key. */
export type Effect =
  | { readonly type: 'accept'; readonly ids: readonly string[]; readonly domain?: string }
  | { readonly type: 'reject'; readonly ids: readonly string[] }
  | { readonly type: 'undo' }
  | { readonly type: 'open'; readonly id: string }
  | { readonly type: 'quit' };

export interface Pressed {
  readonly state: TriageState;
  readonly effect?: Effect;
}

export function initialState(items: readonly TriageItem[], domains: readonly string[]): TriageState {
  return { items, at: 0, mode: 'browse', domains, message: '', done: { accepted: 0, rejected: 0 } };
}

/** Letters that pick a domain, in the order of the list; the keys of `browse` do not matter there. */
export const DOMAIN_KEYS = 'abcdefghijklmnoprstuvwxyz';

/** What a key does. Keys are characters, or names: up, down, escape, return, ctrl-c. */
export function press(state: TriageState, key: string): Pressed {
  if (key === 'ctrl-c') return { state, effect: { type: 'quit' } };
  switch (state.mode) {
    case 'help':
      return { state: { ...state, mode: 'browse' } };
    case 'domain':
      return pressDomain(state, key);
    case 'confirm':
      return pressConfirm(state, key);
    default:
      return pressBrowse(state, key);
  }
}

function pressBrowse(state: TriageState, key: string): Pressed {
  const current = state.items[state.at];
  if (key === 'q' || key === 'escape') return { state, effect: { type: 'quit' } };
  if (key === 'u') return { state, effect: { type: 'undo' } };
  if (key === '?') return { state: { ...state, mode: 'help' } };
  if (!current) return { state };
  const { id, source } = current.row;
  switch (key) {
    case 'a':
    case 'return':
      return { state, effect: { type: 'accept', ids: [id] } };
    case 'r':
      return { state, effect: { type: 'reject', ids: [id] } };
    case 'd':
      return { state: { ...state, mode: 'domain', message: '' } };
    case 'o':
      return { state, effect: { type: 'open', id } };
    case 'A':
    case 'R': {
      const ids = state.items.filter((item) => item.row.source === source).map((item) => item.row.id);
      const pending: Effect = key === 'A' ? { type: 'accept', ids } : { type: 'reject', ids };
      const verb = key === 'A' ? 'Accept' : 'Reject';
      return {
        state: { ...state, mode: 'confirm', pending, message: `${verb} all ${ids.length} from ${source}? y/n` },
      };
    }
    case 's':
    case 'j':
    case 'down':
    case ' ':
      return { state: move(state, 1) };
    case 'k':
    case 'up':
      return { state: move(state, -1) };
    case 'g':
      return { state: { ...state, at: 0, message: '' } };
    case 'G':
      return { state: { ...state, at: Math.max(0, state.items.length - 1), message: '' } };
    default:
      return { state: { ...state, message: `"${key}" does nothing here; ? lists the keys.` } };
  }
}

function pressDomain(state: TriageState, key: string): Pressed {
  const back: TriageState = { ...state, mode: 'browse', message: '' };
  const domain = key.length === 1 ? state.domains[DOMAIN_KEYS.indexOf(key)] : undefined;
  const current = state.items[state.at];
  if (domain === undefined || !current) return { state: back };
  return { state: back, effect: { type: 'accept', ids: [current.row.id], domain } };
}

function pressConfirm(state: TriageState, key: string): Pressed {
  const { pending, ...rest } = state;
  const back: TriageState = { ...rest, mode: 'browse', message: '' };
  if (key === 'y' && pending) return { state: back, effect: pending };
  return { state: { ...back, message: 'Nothing was changed.' } };
}

function move(state: TriageState, by: number): TriageState {
  const at = Math.min(state.items.length - 1, Math.max(0, state.at + by));
  return { ...state, at, message: at === state.at ? 'That is the end of the list.' : '' };
}

/** The state after an action was done: decided items are gone, the next one is shown. */
export function settled(
  state: TriageState,
  action: 'accept' | 'reject',
  ids: readonly string[],
  message: string,
): TriageState {
  const gone = new Set(ids);
  const items = state.items.filter((item) => !gone.has(item.row.id));
  const before = state.items.slice(0, state.at).filter((item) => !gone.has(item.row.id)).length;
  const { accepted, rejected } = state.done;
  return {
    ...state,
    items,
    at: Math.max(0, Math.min(before, items.length - 1)),
    message,
    done: {
      accepted: accepted + (action === 'accept' ? ids.length : 0),
      rejected: rejected + (action === 'reject' ? ids.length : 0),
    },
  };
}

/**
 * The state after an action of this or an earlier session was taken back: the items that wait again are in the list,
 * the first of them shown.
 */
export function restored(
  state: TriageState,
  undone: 'accept' | 'reject',
  back: readonly TriageItem[],
  message: string,
): TriageState {
  const ids = new Set(back.map((item) => item.row.id));
  const others = state.items.filter((item) => !ids.has(item.row.id));
  const at = Math.min(state.at, others.length);
  const count = undone === 'accept' ? 'accepted' : 'rejected';
  const done = { ...state.done, [count]: Math.max(0, state.done[count] - Math.max(1, back.length)) };
  return { ...state, items: [...others.slice(0, at), ...back, ...others.slice(at)], at, message, done };
}
