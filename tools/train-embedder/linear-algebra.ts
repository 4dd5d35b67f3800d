/** The little linear algebra that training needs, on flat row-major arrays. */

/** rows · columns of `a` [n, k] times the transpose of `b` [m, k] -> [n, m]. Blocked by four rows of `b` for the cache. */
export function timesTransposed(a: Float32Array, b: Float32Array, n: number, m: number, k: number): Float32Array {
  const out = new Float32Array(n * m);
  for (let i = 0; i < n; i++) {
    const ai = i * k;
    let j = 0;
    for (; j + 4 <= m; j += 4) {
      let s0 = 0;
      let s1 = 0;
      let s2 = 0;
      let s3 = 0;
      const b0 = j * k;
      const b1 = b0 + k;
      const b2 = b1 + k;
      const b3 = b2 + k;
      for (let d = 0; d < k; d++) {
        const x = a[ai + d] as number;
        s0 += x * (b[b0 + d] as number);
        s1 += x * (b[b1 + d] as number);
        s2 += x * (b[b2 + d] as number);
        s3 += x * (b[b3 + d] as number);
      }
      out[i * m + j] = s0;
      out[i * m + j + 1] = s1;
      out[i * m + j + 2] = s2;
      out[i * m + j + 3] = s3;
    }
    for (; j < m; j++) {
      let s = 0;
      for (let d = 0; d < k; d++) s += (a[ai + d] as number) * (b[j * k + d] as number);
      out[i * m + j] = s;
    }
  }
  return out;
}

/** `out` [n, k] += scale · `g` [n, m] · `b` [m, k]. */
export function addProduct(
  out: Float32Array,
  g: Float32Array,
  b: Float32Array,
  n: number,
  m: number,
  k: number,
  scale: number,
): void {
  for (let i = 0; i < n; i++) {
    const oi = i * k;
    for (let j = 0; j < m; j++) {
      const x = scale * (g[i * m + j] as number);
      if (x === 0) continue;
      const bj = j * k;
      for (let d = 0; d < k; d++) out[oi + d] = (out[oi + d] as number) + x * (b[bj + d] as number);
    }
  }
}

export function transposed(a: Float32Array, n: number, m: number): Float32Array {
  const out = new Float32Array(n * m);
  for (let i = 0; i < n; i++) for (let j = 0; j < m; j++) out[j * n + i] = a[i * m + j] as number;
  return out;
}

/** Second-moment matrix [k, k] of rows [n, k]; not centred, so that projections keep dot products. */
export function secondMoment(rows: Float32Array, k: number): Float64Array {
  const n = rows.length / k;
  const out = new Float64Array(k * k);
  for (let i = 0; i < n; i++) {
    const row = rows.subarray(i * k, (i + 1) * k);
    for (let a = 0; a < k; a++) {
      const x = row[a] as number;
      for (let b = a; b < k; b++) out[a * k + b] = (out[a * k + b] as number) + x * (row[b] as number);
    }
  }
  for (let a = 0; a < k; a++) for (let b = 0; b < a; b++) out[a * k + b] = out[b * k + a] as number;
  return out;
}

/** Eigenvectors of a symmetric matrix by cyclic Jacobi rotations, largest eigenvalue first: [count, k]. */
export function topEigenvectors(symmetric: Float64Array, k: number, count: number): Float32Array {
  const a = Float64Array.from(symmetric);
  const v = new Float64Array(k * k);
  for (let i = 0; i < k; i++) v[i * k + i] = 1;
  for (let sweep = 0; sweep < 30 && offDiagonal(a, k) > 1e-18; sweep++) {
    for (let p = 0; p < k - 1; p++) for (let q = p + 1; q < k; q++) rotate(a, v, k, p, q);
  }
  const order = [...Array(k).keys()].sort((x, y) => (a[y * k + y] as number) - (a[x * k + x] as number));
  const out = new Float32Array(count * k);
  order.slice(0, count).forEach((column, row) => {
    for (let i = 0; i < k; i++) out[row * k + i] = v[column * k + i] as number;
  });
  return out;
}

function offDiagonal(a: Float64Array, k: number): number {
  let off = 0;
  let all = 0;
  for (let i = 0; i < k; i++) {
    for (let j = 0; j < k; j++) {
      const x = (a[i * k + j] as number) ** 2;
      all += x;
      if (i !== j) off += x;
    }
  }
  return off / all;
}

/** One Jacobi rotation that zeroes a[p][q]; `v` keeps eigenvectors as rows. */
function rotate(a: Float64Array, v: Float64Array, k: number, p: number, q: number): void {
  const apq = a[p * k + q] as number;
  if (Math.abs(apq) < 1e-30) return;
  const theta = ((a[q * k + q] as number) - (a[p * k + p] as number)) / (2 * apq);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
  const c = 1 / Math.sqrt(t * t + 1);
  const s = t * c;
  for (let i = 0; i < k; i++) {
    const x = a[i * k + p] as number;
    const y = a[i * k + q] as number;
    a[i * k + p] = c * x - s * y;
    a[i * k + q] = s * x + c * y;
  }
  for (let i = 0; i < k; i++) {
    const x = a[p * k + i] as number;
    const y = a[q * k + i] as number;
    a[p * k + i] = c * x - s * y;
    a[q * k + i] = s * x + c * y;
    const vx = v[p * k + i] as number;
    const vy = v[q * k + i] as number;
    v[p * k + i] = c * vx - s * vy;
    v[q * k + i] = s * vx + c * vy;
  }
}

/** Rows [n, from] projected on a basis [to, from] -> [n, to], L2-normalised. */
export function project(rows: Float32Array, basis: Float32Array, from: number, to: number): Float32Array {
  const n = rows.length / from;
  const out = timesTransposed(rows, basis, n, to, from);
  for (let i = 0; i < n; i++) {
    const row = out.subarray(i * to, (i + 1) * to);
    const norm = Math.sqrt(row.reduce((sum, x) => sum + x * x, 0)) || 1;
    for (let d = 0; d < to; d++) row[d] = (row[d] as number) / norm;
  }
  return out;
}

/** A small, seeded generator (mulberry32): the same seed gives the same model. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
