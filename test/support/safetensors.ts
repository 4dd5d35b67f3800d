/** Writes small safetensors files for tests. */

export interface Part {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: ArrayBufferView;
}

export function writeSafeTensors(parts: Readonly<Record<string, Part>>): Buffer {
  const header: Record<string, unknown> = { __metadata__: { format: 'pt' } };
  const bodies: Buffer[] = [];
  let at = 0;
  for (const [name, { dtype, shape, data }] of Object.entries(parts)) {
    const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] };
    bodies.push(bytes);
    at += bytes.length;
  }
  const json = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, ...bodies]);
}
