/** Which of the twelve domains an article belongs to: weighted phrases and topics over title, tags, URL, source and text. */
import type { Cue } from '../../runner/items.js';
import type { DomainsConfig } from './config.js';
import type { Measured } from './measure.js';
import { round } from './part.js';
import { PhraseIndex } from './phrases.js';
import { hostAndPath, tokenize, urlTokens } from './tokens.js';

export const OTHER = 'other';

export interface DomainResult {
  readonly domain: string;
  /** The runner-up, when anything spoke for one. */
  readonly second?: string;
  /** Cues of the winner, strongest first, as `title: "sql injection" (vulnerabilities)`. */
  readonly evidence: readonly Cue[];
  /** Score of every domain that had any, for `--explain`. */
  readonly scores: Readonly<Record<string, number>>;
}

interface Topic {
  readonly domain: string;
  readonly topic: string;
  readonly weight: number;
}

type Field = keyof DomainsConfig['fields'];

/** Cues kept per item: enough to explain, small enough for a note's frontmatter. */
const MAX_CUES = 8;

/** A classifier made once from the configuration; `classify` is pure. */
export class DomainClassifier {
  readonly #config: DomainsConfig;
  readonly #index = new PhraseIndex<Topic>();
  readonly #hosts: { host: string; path: string; domain: string; weight: number }[] = [];

  constructor(config: DomainsConfig) {
    this.#config = config;
    for (const [domain, topics] of Object.entries(config.lexicon)) {
      for (const [topic, { weight, phrases }] of Object.entries(topics)) {
        for (const phrase of phrases) this.#index.add(phrase, { domain, topic, weight });
      }
    }
    for (const [name, entry] of Object.entries(config.hosts)) {
      for (const match of entry.match) {
        const [host = '', ...rest] = match.split('/');
        this.#hosts.push({ host, path: rest.join('/'), domain: entry.domain ?? name, weight: entry.weight });
      }
    }
  }

  /** How many different technical phrases the text has, per domain-bearing word: used as "technical vocabulary". */
  technicalPhrases(tokens: readonly string[]): number {
    const seen = new Set<string>();
    for (const hit of this.#index.find(tokens)) {
      if (hit.values.some((v) => v.domain !== OTHER && v.weight >= 2)) seen.add(hit.phrase);
    }
    return seen.size;
  }

  classify(item: Measured): DomainResult {
    const { fields } = this.#config;
    const tally = new Map<string, Map<string, number>>();
    const add = (domain: string, cue: string, weight: number) => {
      const cues = tally.get(domain) ?? new Map<string, number>();
      tally.set(domain, cues);
      cues.set(cue, Math.max(cues.get(cue) ?? 0, weight));
    };
    const { article } = item;
    const url = article.canonicalUrl ?? article.url;
    this.#field('title', item.titleTokens, fields.title, add);
    this.#field('tags', article.tags.slice(0, 30).flatMap(tokenize), fields.tags, add);
    this.#field('url', url ? urlTokens(url) : [], fields.url, add);
    this.#field('source', tokenize(`${article.source.name} ${article.site ?? ''}`), fields.source, add);
    this.#text(item.textTokens, fields.text, add);
    this.#host(url, add);
    return this.#decide(tally);
  }

  #field(field: Field, tokens: readonly string[], worth: number, add: Adder): void {
    for (const { phrase, values } of this.#index.find(tokens)) {
      for (const v of values) add(v.domain, `${field}: "${phrase}" (${v.topic})`, v.weight * worth);
    }
  }

  /**
   * In the text a phrase counts (1 + ln n) times, and all phrases together no more than `textLimit` shared out over
   * the domains: otherwise the hints of a long text would outweigh a clear title.
   */
  #text(tokens: readonly string[], worth: number, add: Adder): void {
    const counts = new Map<string, { hits: number; values: readonly Topic[] }>();
    for (const { phrase, values } of this.#index.find(tokens)) {
      const known = counts.get(phrase);
      if (known) known.hits++;
      else counts.set(phrase, { hits: 1, values });
    }
    let total = 0;
    const found: [domain: string, cue: string, weight: number][] = [];
    for (const [phrase, { hits, values }] of counts) {
      for (const v of values) {
        const weight = v.weight * worth * (1 + Math.log(hits));
        total += weight;
        found.push([v.domain, `text: "${phrase}" ×${hits} (${v.topic})`, weight]);
      }
    }
    const scale = Math.min(1, this.#config.textLimit / (total || 1));
    for (const [domain, cue, weight] of found) add(domain, cue, weight * scale);
  }

  #host(url: string | undefined, add: Adder): void {
    const at = hostAndPath(url);
    if (!at) return;
    for (const entry of this.#hosts) {
      const here = at.host === entry.host || at.host.endsWith(`.${entry.host}`);
      if (here && (entry.path === '' || at.path.startsWith(`/${entry.path}`)))
        add(entry.domain, `host: ${entry.host}${entry.path ? `/${entry.path}` : ''}`, entry.weight);
    }
  }

  #decide(tally: ReadonlyMap<string, ReadonlyMap<string, number>>): DomainResult {
    const totals = [...tally].map(([domain, cues]) => ({
      domain,
      score: [...cues.values()]
        .sort((a, b) => b - a)
        .reduce((sum, weight, rank) => sum + weight * this.#config.discount ** rank, 0),
    }));
    // Ties go by the order of the configuration, so that the result does not depend on the order of cues.
    const order = Object.keys(this.#config.lexicon);
    totals.sort((a, b) => b.score - a.score || order.indexOf(a.domain) - order.indexOf(b.domain));
    const scores = Object.fromEntries(totals.map(({ domain, score }) => [domain, round(score)]));
    const named = totals.filter((t) => t.domain !== OTHER);
    const [best, next] = named;
    const rival = totals.find((t) => t.domain === OTHER)?.score ?? 0;
    const clear = best !== undefined && best.score >= this.#config.minimum && best.score >= rival + this.#config.margin;
    const domain = clear ? best.domain : OTHER;
    const second = clear ? (rival > (next?.score ?? 0) ? OTHER : next?.domain) : best?.domain;
    const cues = [...(tally.get(domain) ?? [])]
      .map(([cue, weight]) => ({ cue, weight: round(weight) }))
      .sort((a, b) => b.weight - a.weight || (a.cue < b.cue ? -1 : 1))
      .slice(0, MAX_CUES);
    return {
      domain,
      ...(second === undefined ? {} : { second }),
      evidence: cues.length > 0 ? cues : [{ cue: 'no phrase speaks for a domain', weight: 0 }],
      scores,
    };
  }
}

type Adder = (domain: string, cue: string, weight: number) => void;
