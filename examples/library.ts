/**
 * Sluice as a library: capture a text, index it, ask for it. Run it on a vault of your own:
 *   npx tsx examples/library.ts ~/notes "what did we decide about retries"
 * In a project of yours the import reads `from 'sluice'`.
 */
import { capture, getContext, openWorkspace, search } from '../index.js';

const [vault, question] = process.argv.slice(2);
if (vault === undefined || question === undefined) throw new Error('usage: library.ts VAULT QUESTION');

const workspace = await openWorkspace({ vault, cwd: process.cwd(), env: process.env });
try {
  const note = await capture(workspace, {
    text: 'Retries honour Retry-After before the back-off of our own; five attempts at most.',
    domain: 'programming',
    tags: ['http'],
  });
  console.log(`${note.change}: ${note.path}`);

  // A capture brings the index up to date; this is how a program does it after other changes.
  const { report } = await workspace.run('index');
  console.log(`indexed: ${report.written} notes changed`);

  const { answer } = await search(workspace, { text: question, limit: 3 });
  for (const { file_path, lines, score } of answer.results) console.log(`${score} ${file_path}:${lines[0]}`);
  if (!answer.good) console.log('nothing that answers the question');

  const block = await getContext(workspace, { topic: question, maxTokens: 500, format: 'xml' });
  console.log(block.text);
} finally {
  await workspace.close();
}
