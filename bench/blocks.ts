/**
 * The guide's session of ten questions, with and without prompt-cache blocks, in real tokens (o200k).
 * Usage: npx tsx bench/blocks.ts VAULT DB; index first. Without blocks every question searches 2,000 tokens of context;
 * with them the blocks are read once, and a question searches (1,500 tokens) only when its best note is in no block.
 */
import { exactTokens } from '../lib/answer/tokens.js';
import { FORMATS } from '../lib/blocks/render.js';
import { refreshBlocks } from '../workspace/blocks/blocks.js';
import { getContext } from '../workspace/context.js';
import { openWorkspace } from '../workspace/workspace.js';

const QUESTIONS = [
  'authentication patterns of services',
  'edge-level authentication with an API gateway',
  'service-level authentication by the code itself',
  'conventions for designing a REST API',
  'what is a RESTful web service',
  'current architecture decisions of the project',
  'how is a list sorted in python',
  'commands to manage DHCP leases',
  'fonts for Japanese text',
  'parse a date in javascript',
];
const WITHOUT_TOKENS = 2000;
const WITH_TOKENS = 1500;

const [vault = '', db = ''] = process.argv.slice(2);
const workspace = await openWorkspace({ vault, db, cwd: process.cwd(), env: process.env, readOnly: true });
try {
  const { count } = await exactTokens();
  const refreshed = await refreshBlocks(workspace, { save: false });
  const blocks = refreshed.map(({ block, settings }) => ({ ...block, ttlHours: settings.ttl_hours }));
  const inBlocks = new Set(blocks.flatMap(({ sources }) => sources.map(({ file_path: path }) => path)));
  const prefix = count(FORMATS.prefix(blocks));
  let [without, searched, covered] = [0, 0, 0];
  for (const topic of QUESTIONS) {
    const long = await getContext(workspace, { topic, maxTokens: WITHOUT_TOKENS });
    without += count(long.text);
    const best = long.sources[0]?.file_path;
    if (best !== undefined && inBlocks.has(best)) {
      covered++;
      console.log(`in a block  ${topic}`);
      continue;
    }
    const tokens = count((await getContext(workspace, { topic, maxTokens: WITH_TOKENS })).text);
    searched += tokens;
    console.log(`${String(tokens).padStart(6)} more ${topic}`);
  }
  for (const { name, text } of blocks) console.log(`${String(count(text)).padStart(6)} tokens  block ${name}`);
  const total = prefix + searched;
  console.log(`without blocks: ${without} tokens for ${QUESTIONS.length} questions`);
  console.log(
    `with blocks: ${prefix} for the blocks and ${searched} for ${QUESTIONS.length - covered} questions, ${total} together`,
  );
  console.log(`share: ${((100 * total) / without).toFixed(1)} %`);
} finally {
  await workspace.close();
}
