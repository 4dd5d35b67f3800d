import { createMemoryStore } from '../../store/memory.js';
import { storeContract } from '../contract/store.contract.js';

storeContract('memory', async () => createMemoryStore());
