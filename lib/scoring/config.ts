/** What `config/scoring.yaml`, `authority.yaml` and `domains.yaml` may hold, and how mistakes in them are reported. */
import { z } from 'zod';
import { ConfigError, ConfigErrors, suggest } from '../../runner/errors.js';

const unit = z.number().min(0).max(1);

/** Comma-separated text or a list; empty entries are dropped. */
const phrases = z
  .union([z.string(), z.array(z.string())])
  .transform((value) =>
    (typeof value === 'string' ? value.split(',') : value).map((p) => p.trim()).filter((p) => p.length > 0),
  );

const DIMENSIONS = ['relevance', 'actionability', 'depth', 'authority'] as const;

/** Weights of the four dimensions; they must sum to 1. */
export const weightsSchema = z
  .strictObject({
    relevance: unit.describe('Fit with the configured interests.'),
    actionability: unit.describe('Whether the reader can do something with it.'),
    depth: unit.describe('Substance of the content.'),
    authority: unit.describe('Trust in the source.'),
  })
  .superRefine((weights, ctx) => {
    const sum = DIMENSIONS.reduce((total, d) => total + weights[d], 0);
    if (Math.abs(sum - 1) > 1e-6)
      ctx.addIssue({ code: 'custom', message: `the weights must sum to 1 but sum to ${Math.round(sum * 1e6) / 1e6}` });
  });

export type Weights = z.output<typeof weightsSchema>;

const cueGroup = z.strictObject({ weight: z.number().min(0).max(5), phrases });
const cueGroups = z.record(z.string(), cueGroup);
const LANGUAGES = ['en', 'fr', 'pl'] as const;
const byLanguage = z.strictObject({ en: cueGroups, fr: cueGroups, pl: cueGroups });
const interest = z.strictObject({ name: z.string().min(1), weight: unit.default(0.6), phrases });

export const scoringSchema = z
  .strictObject({
    preset: z.string().default('default').describe('Which of `presets` is used when a pipeline names no weights.'),
    presets: z.record(z.string(), weightsSchema),
    neutral: unit.describe('Value of a part the article gives nothing to judge by.'),
    interests: z.strictObject({
      domains: z.record(z.string(), unit).describe('Interest in a whole domain.'),
      topics: z.array(interest),
      projects: z.array(interest),
      people: z.array(interest),
      learned: z.array(interest).describe('Written by `score learn` from titles and tags of the vault.'),
      muted: z.array(interest).describe('What the user does not want to see; pulls relevance down.'),
    }),
    actionability: z.strictObject({
      half: z.number().positive().describe('Summed cue weight at which actionability is 0.5.'),
      floor: unit.describe('Value of a text without any cue.'),
      cues: byLanguage,
      pulls: byLanguage.describe('Marks of news and opinion; weight is the share taken away.'),
      structure: z.strictObject({
        commands: z.number().min(0),
        code: z.number().min(0),
        steps: z.number().min(0),
        versions: z.number().min(0),
        'cve-with-remedy': z.number().min(0),
      }),
    }),
    depth: z.strictObject({
      'short-words': z.number().positive().describe('Up to this many words, length counts nothing.'),
      'long-words': z.number().positive().describe('From this many words on, length counts in full.'),
      weights: z.strictObject({
        length: unit,
        structure: unit,
        code: unit,
        data: unit,
        references: unit,
        vocabulary: unit,
        variety: unit,
      }),
      pulls: byLanguage.describe('Marks of listicles, teasers, press releases; weight is the share taken away.'),
      shape: z.strictObject({
        'link-dump': unit.describe('Share taken away when most words are link text.'),
        picture: unit.describe('Share taken away when there are pictures and hardly a word.'),
        teaser: unit.describe('Share taken away when a short text breaks off.'),
        listicle: unit.describe('Share taken away from "7 things …" made of short list items.'),
      }),
    }),
  })
  .superRefine((scoring, ctx) => {
    const add = (path: PropertyKey[], message: string) => ctx.addIssue({ code: 'custom', path, message });
    const { presets, preset, depth, interests } = scoring;
    if (!Object.hasOwn(presets, preset))
      add(['preset'], `there is no preset "${preset}"; known: ${Object.keys(presets).join(', ')}`);
    if (depth['short-words'] >= depth['long-words']) add(['depth', 'short-words'], 'must be less than long-words');
    const sum = Object.values(depth.weights).reduce((a, b) => a + b, 0);
    if (Math.abs(sum - 1) > 1e-6) add(['depth', 'weights'], `must sum to 1 but sum to ${Math.round(sum * 1e6) / 1e6}`);
    const muted = new Set(interests.muted.flatMap((m) => m.phrases.map((p) => p.toLowerCase())));
    for (const kind of ['topics', 'projects', 'people'] as const)
      for (const [at, { name, phrases: wanted }] of interests[kind].entries())
        for (const phrase of wanted)
          if (muted.has(phrase.toLowerCase()))
            add(['interests', kind, at], `"${phrase}" of "${name}" is also muted; remove it from one of the lists`);
  });

export type ScoringConfig = z.output<typeof scoringSchema>;
export type CueGroups = z.output<typeof cueGroups>;
export type Language = (typeof LANGUAGES)[number];
export type Interest = z.output<typeof interest>;

export const authoritySchema = z.strictObject({
  neutral: unit.describe('For sources nothing is known of.'),
  primary: z.record(z.string(), z.strictObject({ value: unit, match: phrases })).describe('Kinds of primary source.'),
  hosts: z.record(z.string(), z.strictObject({ value: unit, match: phrases })),
  authors: z.record(z.string(), unit).describe('Author name: prior.'),
  feeds: z.record(z.string(), unit).describe('Source name: prior; overrules the host.'),
  history: z.strictObject({
    strength: z.number().positive().describe('How many kept or discarded items weigh as much as the prior.'),
    since: z.string().optional().describe('Only judgements from this time on (ISO 8601) count; set by `score tune`.'),
  }),
});

export type AuthorityConfig = z.output<typeof authoritySchema>;

export const domainsSchema = z
  .strictObject({
    minimum: z.number().min(0),
    margin: z.number().min(0),
    discount: unit,
    textLimit: z.number().positive(),
    fields: z.strictObject({
      title: z.number().min(0),
      tags: z.number().min(0),
      url: z.number().min(0),
      source: z.number().min(0),
      text: z.number().min(0),
    }),
    hosts: z.record(
      z.string(),
      z.strictObject({ domain: z.string().optional(), weight: z.number().min(0), match: phrases }),
    ),
    lexicon: z.record(z.string(), cueGroups),
  })
  .superRefine(({ hosts, lexicon }, ctx) => {
    for (const [name, { domain = name }] of Object.entries(hosts))
      if (!Object.hasOwn(lexicon, domain))
        ctx.addIssue({
          code: 'custom',
          path: ['hosts', name],
          message: `the lexicon has no domain "${domain}"; name one with \`domain:\``,
        });
  });

export type DomainsConfig = z.output<typeof domainsSchema>;

/** The three files, checked. */
export interface ScoringSettings {
  readonly scoring: ScoringConfig;
  readonly authority: AuthorityConfig;
  readonly domains: DomainsConfig;
}

/** What one file cannot know of the other. Throws `ConfigErrors`; gives the settings back when they agree. */
export function agreeing(settings: ScoringSettings): ScoringSettings {
  const known = Object.keys(settings.domains.lexicon);
  const strangers = Object.keys(settings.scoring.interests.domains).filter((domain) => !known.includes(domain));
  const errors = strangers.map(
    (domain) =>
      new ConfigError(
        'contradiction',
        `interests.domains names "${domain}", a domain that domains.yaml does not have.`,
        { file: 'scoring.yaml', remedy: suggest(domain, known) },
      ),
  );
  if (errors.length > 0) throw new ConfigErrors(errors);
  return settings;
}
