import { openSqliteStore } from '../../../store/sqlite/store.js';
import { storeContract } from '../../contract/store.contract.js';

storeContract('sqlite', () => openSqliteStore({ file: ':memory:' }));
