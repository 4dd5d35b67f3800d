// Prints every module the process loads to stderr, for the test that keeps start-up light.
import { register } from 'node:module';

const hooks = `
  import { writeSync } from 'node:fs';
  export async function load(url, context, next) {
    writeSync(2, url + '\\n');
    return next(url, context);
  }`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
