import { describe, expect, it } from 'vitest';
import {
  initialState,
  press,
  restored,
  settled,
  type TriageItem,
  type TriageState,
} from '../../../cli/triage/state.js';
import { cut, render, wrap } from '../../../cli/triage/view.js';

const item = (id: string, source = 'blog'): TriageItem => ({
  row: {
    id,
    source,
    url: `https://example.org/${id}`,
    title: `Title ${id}`,
    outcome: 'review',
    domain: 'web',
    domainSecond: 'design',
    scores: {
      relevance: 0.7,
      actionability: 0.2,
      depth: 0.4,
      authority: 0.5,
      composite: 0.47,
      evidence: { relevance: [{ cue: 'domain web', weight: 0.7 }], actionability: [], depth: [], authority: [] },
    },
    firstSeen: '2026-01-01T00:00:00.000Z',
    lastSeen: '2026-01-01T00:00:00.000Z',
  },
  excerpt: 'An excerpt of the article.',
});
const start = initialState([item('a'), item('b', 'wire'), item('c', 'wire')], ['web', 'data', 'design']);
const keys = (state: TriageState, ...pressed: string[]) =>
  pressed.reduce<{ state: TriageState; effects: unknown[] }>(
    (all, key) => {
      const { state: next, effect } = press(all.state, key);
      return { state: next, effects: effect ? [...all.effects, effect] : all.effects };
    },
    { state, effects: [] },
  );

describe('keys of the triage interface', () => {
  it('move, and say where the list ends', () => {
    expect(keys(start, 'k').state).toMatchObject({ at: 0, message: 'That is the end of the list.' });
    expect(keys(start, 's', 'j').state.at).toBe(2);
    expect(keys(start, 'G', 'down').state).toMatchObject({ at: 2, message: 'That is the end of the list.' });
    expect(keys(start, 'G', 'g').state.at).toBe(0);
  });

  it('accept, reject, open and undo the item shown', () => {
    const { effects } = keys(start, 's', 'a', 'r', 'o', 'u', 'return');
    expect(effects).toEqual([
      { type: 'accept', ids: ['b'] },
      { type: 'reject', ids: ['b'] },
      { type: 'open', id: 'b' },
      { type: 'undo' },
      { type: 'accept', ids: ['b'] },
    ]);
  });

  it('accept into another domain by letter, or not', () => {
    expect(keys(start, 'd').state.mode).toBe('domain');
    expect(keys(start, 'd', 'b').effects).toEqual([{ type: 'accept', ids: ['a'], domain: 'data' }]);
    for (const key of ['escape', 'z', '']) {
      const { state, effects } = keys(start, 'd', key);
      expect([state.mode, effects]).toEqual(['browse', []]);
    }
  });

  it('ask before everything of a source goes', () => {
    const asked = keys(start, 's', 'R');
    expect(asked.effects).toEqual([]);
    expect(asked.state.message).toBe('Reject all 2 from wire? y/n');
    expect(keys(asked.state, 'n').effects).toEqual([]);
    expect(keys(asked.state, 'y').effects).toEqual([{ type: 'reject', ids: ['b', 'c'] }]);
    expect(keys(asked.state, 'y').state).not.toHaveProperty('pending');
  });

  it('leave with q, escape and ctrl-c, from everywhere with the last', () => {
    for (const key of ['q', 'escape', 'ctrl-c']) expect(press(start, key).effect).toEqual({ type: 'quit' });
    for (const mode of ['d', '?', 'A']) expect(keys(start, mode, 'ctrl-c').effects).toEqual([{ type: 'quit' }]);
  });

  it('do nothing on an empty list but undo and quit', () => {
    const empty = initialState([], ['web']);
    expect(keys(empty, 'a', 'r', 'd', 'o', 'A', 's', 'k').effects).toEqual([]);
    expect(keys(empty, 'u', 'q').effects).toEqual([{ type: 'undo' }, { type: 'quit' }]);
    expect(render(empty, { columns: 60, rows: 20, colour: false }).join('\n')).toContain('No item waits for review.');
  });
});

describe('after an action', () => {
  it('shows the next item and counts', () => {
    const next = settled({ ...start, at: 1 }, 'reject', ['b'], 'done');
    expect(next).toMatchObject({ at: 1, message: 'done', done: { accepted: 0, rejected: 1 } });
    expect(next.items.map((i) => i.row.id)).toEqual(['a', 'c']);
    expect(settled({ ...start, at: 2 }, 'accept', ['b', 'c'], '').at).toBe(0);
    expect(settled(start, 'accept', ['a', 'b', 'c'], '')).toMatchObject({ at: 0, items: [] });
  });

  it('puts items back where the user is when it is undone', () => {
    const without = settled(start, 'accept', ['a'], '');
    const back = restored(without, 'accept', [item('a')], 'back');
    expect(back.done).toEqual({ accepted: 0, rejected: 0 });
    expect(back.items.map((i) => i.row.id)).toEqual(['a', 'b', 'c']);
    expect(back.at).toBe(0);
  });
});

describe('the screen', () => {
  it('shows title, source, domains, bars, cues, excerpt and keys within its size', () => {
    const lines = render(start, { columns: 70, rows: 20, colour: false });
    expect(lines.length).toBeLessThanOrEqual(20);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(70);
    const text = lines.join('\n');
    for (const part of [
      '1 of 3',
      'Title a',
      'blog',
      'web, then design',
      'composite 0.47',
      'relevance     ███████░░░ 0.70',
      'domain web',
      'An excerpt',
      'a accept',
    ])
      expect(text).toContain(part);
  });

  it('lists the domains with their letters', () => {
    const text = render(keys(start, 'd').state, { columns: 70, rows: 20, colour: false }).join('\n');
    expect(text).toMatch(/a {2}web\n {2}b {2}data/);
  });

  it('never passes control characters of a title on to the terminal', () => {
    const [first] = start.items;
    if (!first) throw new Error('an item was expected');
    const nasty = { ...first, row: { ...first.row, title: 'x\x1b[2J\x07\u202ey' } };
    const text = render({ ...start, items: [nasty] }, { columns: 70, rows: 20, colour: false }).join('');
    expect(text).not.toMatch(/[\x00-\x1f\u202e]/);
  });

  it('counts wide characters as two columns', () => {
    expect(cut('漢字漢字', 8)).toBe('漢字漢字');
    expect(cut('漢字漢字', 7)).toBe('漢字…');
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  });
});
