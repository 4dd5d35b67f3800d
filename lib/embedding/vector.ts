/** The few vector operations every embedder shares. */

/** Scales to unit length, in place; a zero vector stays zero. */
export function normaliseVector(vector: Float32Array): Float32Array {
  let square = 0;
  for (const x of vector) square += x * x;
  if (square === 0) return vector;
  const factor = 1 / Math.sqrt(square);
  for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] as number) * factor;
  return vector;
}
