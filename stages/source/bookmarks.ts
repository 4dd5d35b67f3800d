/** Reads bookmark files: browsers' exports and profiles, Pocket, Pinboard, tables. */
import { z } from 'zod';
import { defineStage } from '../../runner/stage.js';
import { linkFiles } from './link-files.js';

export const bookmarks = defineStage({
  name: 'bookmarks',
  summary: 'Reads the configured bookmark files, whatever browser or service wrote them.',
  docs: `The format is told by the content: Netscape HTML (every browser's export, Pocket), the \`Bookmarks\` file of Chrome,
Edge and Brave, Firefox JSON backups, Pinboard JSON and XML, CSV with a header row. Folders become tags. Records without a
web address are reported and passed over.`,
  takes: 'nothing',
  gives: 'Article',
  mode: 'source',
  config: z.strictObject({
    from: z.string().default('config/sources.yaml').describe('The list of sources.'),
  }),
  effects: ['network'],
  needs: ['http', 'ledger', 'sources'],
  create: ({ from }) => linkFiles('bookmarks', from),
});
