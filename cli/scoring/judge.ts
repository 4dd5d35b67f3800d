/** `score learn`, `score report` and `score tune`: what the vault and the user's judgements teach. */
import { learnInterests } from '../../lib/scoring/learn.js';
import { DIMENSIONS } from '../../lib/scoring/part.js';
import { type Share, scoreReport } from '../../lib/scoring/report.js';
import { MIN_GAIN, tune } from '../../lib/scoring/tune.js';
import { openTriage } from '../../workspace/triage/open.js';
import { applyProposal, judgedItems, ownNotes, writeLearned } from '../../workspace/triage/tuning.js';
import type { CommonOptions } from '../command.js';
import { withWorkspace } from '../open.js';
import { Output } from '../output.js';
import { tellFeedback } from '../triage/commands.js';

export interface ApplyFlags extends CommonOptions {
  readonly apply?: boolean;
}

/** Folders whose notes the user did not write. */
const GENERATED = ['00-inbox', '05-signals', '06-daily', '07-templates', 'agent_learnings'];

export async function learn(flags: ApplyFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async ({ resources, userDir }) => {
    const notes = await ownNotes(await resources.use('vault'), GENERATED);
    const interests = learnInterests(notes);
    const file = flags.apply && interests.length > 0 ? await writeLearned(interests, userDir) : null;
    if (output.wantsJson) {
      await output.json({ notes: notes.length, interests, written: file });
      return 0;
    }
    for (const { name, weight } of interests) await output.line(`${weight.toFixed(2)}  ${name}`);
    const what = `${interests.length} interests from ${notes.length} notes`;
    await output.info(file ? `${what}, written to ${file}.` : `${what}. Use --apply to write them to scoring.yaml.`);
    return 0;
  });
}

export async function report(flags: CommonOptions): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async (workspace) => {
    const triage = await openTriage(workspace);
    await tellFeedback(await triage.learn(), output);
    const found = scoreReport(await judgedItems(triage), triage.routing.thresholds);
    if (output.wantsJson) {
      await output.json(found);
      return 0;
    }
    await output.line(`${found.judged} items judged by you`);
    const line = (name: string, { items, kept, share }: Share) =>
      `${name.padEnd(24)} ${String(kept).padStart(4)} of ${String(items).padStart(4)} kept  ${percent(share)}`;
    await output.line('\nBy band (write: precision of routing)');
    for (const [name, share] of Object.entries(found.bands)) await output.line(line(name, share));
    await output.line(`recall of write          ${percent(found.recall)} of what you kept`);
    await output.line(`domain as you have it    ${percent(found.domains.share)} of ${found.domains.items}`);
    await output.line('\nBy dimension: mean of kept, of discarded, and how well it tells them apart (0.5: not at all)');
    for (const [name, { kept, discarded, auc }] of Object.entries(found.dimensions))
      await output.line(`${name.padEnd(24)} ${number(kept)}  ${number(discarded)}  ${number(auc)}`);
    await output.line('\nBy source');
    for (const [name, share] of Object.entries(found.sources)) await output.line(line(name, share));
    return 0;
  });
}

export async function tuneRules(flags: ApplyFlags): Promise<number> {
  const output = new Output(flags);
  return withWorkspace(flags, async (workspace) => {
    const triage = await openTriage(workspace);
    await tellFeedback(await triage.learn(), output);
    const { weights, thresholds } = triage.routing;
    const now = { weights, write: thresholds.write };
    const proposal = tune(await judgedItems(triage), now, triage.scorer.settings.authority);
    if ('refused' in proposal) {
      if (output.wantsJson) await output.json(proposal);
      else await output.line(`No proposal. ${proposal.refused}`);
      return 0;
    }
    const gain = proposal.expected - proposal.now;
    const isWorth = gain >= MIN_GAIN || Object.keys(proposal.feeds).length > 0;
    // Rules that gain nothing stay; priors may be worth writing all the same.
    const chosen = gain >= MIN_GAIN ? proposal : { ...proposal, rules: now };
    const at = new Date(workspace.clock.now()).toISOString();
    const written = flags.apply && isWorth ? await applyProposal(chosen, workspace.userDir, at) : [];
    if (output.wantsJson) {
      await output.json({ ...chosen, in_force: now, gain, written });
      return 0;
    }
    const show = (rules: typeof now) =>
      `${DIMENSIONS.map((d) => rules.weights[d].toFixed(2)).join('/')}, write from ${rules.write}`;
    await output.line(`in force  ${show(now)}`);
    await output.line(`proposed  ${show(chosen.rules)}`);
    await output.line(
      `balanced accuracy on items not used for fitting: ${number(proposal.now)} -> ${number(proposal.expected)} (${gain >= 0 ? '+' : ''}${gain.toFixed(3)})`,
    );
    for (const [source, prior] of Object.entries(proposal.feeds))
      await output.line(`prior of ${source}: ${prior.toFixed(2)}`);
    if (!isWorth) await output.line('Not worth a change.');
    else if (written.length > 0) await output.line(`Written to ${written.join(' and ')}.`);
    else await output.line('Use --apply to write this.');
    return 0;
  });
}

function percent(share: number | null): string {
  return share === null ? '  –' : `${Math.round(share * 100)} %`.padStart(5);
}

function number(value: number | null): string {
  return value === null ? ' –  ' : value.toFixed(3);
}
