import { openSqliteStore } from '../../../store/sqlite/store.js';
import { narrowFilterContract } from '../../contract/narrow-filter.contract.js';
import { storeContract } from '../../contract/store.contract.js';

storeContract('sqlite', () => openSqliteStore({ file: ':memory:' }));
narrowFilterContract('sqlite', () => openSqliteStore({ file: ':memory:' }));
