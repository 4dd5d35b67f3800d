/** Reads plain lists of links: one a line, in Markdown, or a table. */
import { z } from 'zod';
import { defineStage } from '../../runner/stage.js';
import { linkFiles } from './link-files.js';

export const urlList = defineStage({
  name: 'url-list',
  summary: 'Reads the configured lists of links.',
  docs: 'Lines that start with `#` are comments. Words beside an address, or a Markdown link text, are its title.',
  takes: 'nothing',
  gives: 'Article',
  mode: 'source',
  config: z.strictObject({
    from: z.string().default('config/sources.yaml').describe('The list of sources.'),
  }),
  effects: ['network'],
  needs: ['http', 'ledger', 'sources'],
  create: ({ from }) => linkFiles('list', from),
});
