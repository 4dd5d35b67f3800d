/** What makes two vector spaces different: the model's weights, its dimensions and how texts are put to it. */
import { createHash } from 'node:crypto';

export interface SpaceIdentity {
  readonly id: string;
  readonly dimensions: number;
  /** Anything that changes when the weights do: a checksum, a revision, a remote model's name. */
  readonly version: string;
  readonly prompts?: { readonly query: string; readonly document: string };
}

/** 16 hexadecimal digits. */
export function spaceFingerprint({ id, dimensions, version, prompts }: SpaceIdentity): string {
  const format = prompts && (prompts.query || prompts.document) ? `${prompts.query}\0${prompts.document}` : 'plain';
  return createHash('sha256').update([id, dimensions, version, format].join('\n')).digest('hex').slice(0, 16);
}
