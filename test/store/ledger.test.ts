import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryLedger } from '../../store/memory-ledger.js';
import { openLedger } from '../../store/sqlite/ledger.js';
import { expectRollback, ids, ledgerContract, row } from '../contract/ledger.contract.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-ledger-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

ledgerContract('memory', () => new MemoryLedger());
ledgerContract('sqlite', () => openLedger({ file: join(folder, 'ledger.db') }));

describe('sqlite ledger', () => {
  it('survives reopening, and a second process-like connection reads while it writes', async () => {
    const file = join(folder, 'ledger.db');
    const writer = openLedger({ file });
    const second = openLedger({ file });
    await writer.put(row('a'));
    await second.put(row('b'));
    const reader = openLedger({ file, readOnly: true });
    expect(await ids(reader, {})).toEqual(['a', 'b']);
    await expect(reader.put(row('c'))).rejects.toMatchObject({ code: 'ledger-readonly' });
    await Promise.all([writer.close(), second.close(), reader.close()]);
    const again = openLedger({ file });
    expect(await ids(again, {})).toEqual(['a', 'b']);
    await again.close();
  });

  it('rolls a failed change back whole', async () => {
    const ledger = openLedger({ file: join(folder, 'ledger.db') });
    await expectRollback(ledger);
    await ledger.close();
  });

  it('explains a file that is no database, a missing one, and a newer format', async () => {
    const file = join(folder, 'ledger.db');
    expect(() => openLedger({ file, readOnly: true })).toThrowError(/no ledger here yet/);
    writeFileSync(file, 'this is not a database, and long enough to be looked at as one by the reader');
    expect(() => openLedger({ file })).toThrowError(/cannot be read/);
    const newer = join(folder, 'newer.db');
    const { default: Database } = await import('better-sqlite3');
    const db = new Database(newer);
    db.pragma('user_version = 99');
    db.close();
    expect(() => openLedger({ file: newer })).toThrowError(/newer version/);
  });
});
