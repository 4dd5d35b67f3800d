/** The user's judgements as examples, and what `score tune` and `score learn` write when they are told to. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, isSeq } from 'yaml';
import type { Interest, Weights } from '../../lib/scoring/config.js';
import type { NoteHead } from '../../lib/scoring/learn.js';
import type { JudgedItem } from '../../lib/scoring/report.js';
import type { Proposal } from '../../lib/scoring/tune.js';
import { readFrontmatter } from '../../lib/vault/frontmatter.js';
import type { Vault } from '../../lib/vault/types.js';
import type { Article } from '../../runner/items.js';
import { judgements } from '../../store/labels.js';
import { readPipelineSource } from '../pipelines.js';
import { editYaml } from '../user-yaml.js';
import type { Triage } from './open.js';

/** Every judged item, scored by the lexicons in force where its text is kept, else as it was scored then. */
export async function judgedItems({ tools, scorer, routing }: Triage): Promise<JudgedItem[]> {
  const items: JudgedItem[] = [];
  for (const { row, label, kept } of await judgements(tools.ledger)) {
    const fresh =
      row.article === undefined ? undefined : scorer.score(JSON.parse(row.article) as Article, routing.weights);
    const scores = fresh?.scores ?? row.scores;
    if (!scores) continue;
    const { relevance, actionability, depth, authority, composite } = scores;
    items.push({
      id: row.id,
      source: row.source,
      parts: { relevance, actionability, depth, authority },
      composite,
      kept,
      ...(fresh ? { domain: fresh.domain.domain } : {}),
      ...(label.domain === undefined ? {} : { userDomain: label.domain }),
    });
  }
  return items;
}

/**
 * Writes a proposal: weights and threshold into the vault's own copy of the ingest pipeline (where those numbers live),
 * priors into its authority.yaml. Judgements up to `at` are in the priors now and no longer count as history.
 * Gives the files written.
 */
export async function applyProposal(proposal: Proposal, userDir: string, at: string): Promise<string[]> {
  const pipeline = join(userDir, 'pipelines', 'ingest.yaml');
  const { file } = readPipelineSource('ingest', userDir);
  await editYaml(pipeline, (document) => setRules(document, proposal.rules), readFileSync(file, 'utf8'));
  if (Object.keys(proposal.feeds).length === 0) return [pipeline];
  const authority = join(userDir, 'authority.yaml');
  await editYaml(authority, (document) => {
    for (const [source, prior] of Object.entries(proposal.feeds)) document.setIn(['authority', 'feeds', source], prior);
    document.setIn(['authority', 'history', 'since'], at);
  });
  return [pipeline, authority];
}

function setRules(document: Document, rules: { readonly weights: Weights; readonly write: number }): void {
  const steps = document.get('steps');
  if (!isSeq(steps)) return;
  for (const [at, step] of steps.items.entries()) {
    if (!isMap(step)) continue;
    if (step.has('score')) {
      document.deleteIn(['steps', at, 'score', 'preset']);
      document.setIn(['steps', at, 'score', 'weights'], document.createNode(rules.weights, { flow: true }));
    }
    if (step.has('route')) {
      document.setIn(['steps', at, 'route', 'write'], rules.write);
      const review = document.getIn(['steps', at, 'route', 'review']);
      if (typeof review === 'number' && review > rules.write)
        document.setIn(['steps', at, 'route', 'review'], rules.write);
    }
  }
}

/** Titles and tags of the user's own notes: not of what intake wrote, which would learn from itself. */
export async function ownNotes(vault: Vault, folders: readonly string[]): Promise<NoteHead[]> {
  const heads: NoteHead[] = [];
  for await (const { path } of vault.walk(() => undefined)) {
    if (folders.some((folder) => path.startsWith(`${folder}/`))) continue;
    const { data } = readFrontmatter(new TextDecoder().decode(await vault.read(path)));
    if (data['type'] === 'signal' || data['type'] === 'daily') continue;
    const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
    const title = typeof data['title'] === 'string' ? data['title'] : name;
    heads.push({ title, tags: Array.isArray(data['tags']) ? data['tags'].map(String) : [] });
  }
  return heads;
}

export async function writeLearned(interests: readonly Interest[], userDir: string): Promise<string> {
  const file = join(userDir, 'scoring.yaml');
  await editYaml(file, (document) =>
    document.setIn(['scoring', 'interests', 'learned'], document.createNode(interests)),
  );
  return file;
}
