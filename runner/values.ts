/** Config value types that pipelines share: durations and sizes written the way people write them. */
import { z } from 'zod';
import { parseBytes, parseDuration } from './units.js';

function parsed(parse: (text: string | number) => number | undefined, examples: string) {
  return z.union([z.string(), z.number()]).transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: `"${text}" is not ${examples}` });
    return z.NEVER;
  });
}

/** A zod type for durations; its output is milliseconds. */
export const duration = () => parsed(parseDuration, 'a duration such as 20s, 5m, 2h or 6 months');

/** A zod type for sizes; its output is bytes. */
export const byteSize = () => parsed(parseBytes, 'a size such as 2MiB or 500kB');
