/** An embedder for tests: a text's vector says which of its words it knows. Reproducible, and counts what it is asked. */
import { createHash } from 'node:crypto';
import { normaliseVector } from '../../lib/embedding/vector.js';
import type { Embedder } from '../../stages/embed/models/types.js';

export interface WordEmbedder extends Embedder {
  /** Texts embedded so far. */
  readonly asked: readonly string[];
}

/** Every word adds one to an axis that depends on the word and the model's name, so two models disagree. */
export function wordEmbedder(id: string, dimensions = 16, onEmbed: () => void = () => undefined): WordEmbedder {
  const asked: string[] = [];
  return {
    id,
    dimensions,
    fingerprint: createHash('sha256').update(`${id}/${dimensions}`).digest('hex').slice(0, 16),
    asked,
    async embed(texts) {
      asked.push(...texts);
      onEmbed();
      return texts.map((text) => {
        const vector = new Float32Array(dimensions);
        for (const word of text.toLowerCase().match(/\w+/g) ?? []) {
          const axis = createHash('sha256').update(`${id}/${word}`).digest()[0] ?? 0;
          vector[axis % dimensions] = (vector[axis % dimensions] as number) + 1;
        }
        return normaliseVector(vector);
      });
    },
  };
}
