/** Writes an ONNX model file: the few protobuf messages of a graph, nothing more. Field numbers are those of onnx.proto3. */
import type { Tensor } from './tfjs-weights.js';

const FLOAT = 1;
const INT64 = 7;

type Attribute = number | { readonly float: number } | readonly number[];

export interface OnnxNode {
  readonly op: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, Attribute>>;
  /** Operator set; default: the standard one. */
  readonly domain?: string;
}

export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  /** Float weights by name. */
  readonly weights: ReadonlyMap<string, Tensor>;
  /** Small int64 constants by name. */
  readonly integers: ReadonlyMap<string, readonly number[]>;
  /** Int64 inputs: name and dimension names. */
  readonly inputs: ReadonlyMap<string, readonly string[]>;
  /** Float outputs: name and dimensions (names, or sizes). */
  readonly outputs: ReadonlyMap<string, readonly (string | number)[]>;
  readonly opsets: ReadonlyMap<string, number>;
}

/** Serialises a graph as an ONNX ModelProto. */
export function writeOnnx(graph: OnnxGraph): Uint8Array {
  const body = concat([
    ...graph.nodes.map((node) => field(1, nodeProto(node))),
    text(2, graph.name),
    ...[...graph.weights].map(([name, tensor]) => field(5, floatTensor(name, tensor))),
    ...[...graph.integers].map(([name, values]) => field(5, integerTensor(name, values))),
    ...[...graph.inputs].map(([name, dims]) => field(11, valueInfo(name, INT64, dims))),
    ...[...graph.outputs].map(([name, dims]) => field(12, valueInfo(name, FLOAT, dims))),
  ]);
  const opsets = [...graph.opsets].map(([domain, version]) => field(8, concat([text(1, domain), integer(2, version)])));
  return concat([integer(1, 9), text(2, 'sluice'), field(7, body), ...opsets]);
}

function nodeProto({ op, inputs, outputs, attributes = {}, domain }: OnnxNode): Uint8Array {
  return concat([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, op),
    ...Object.entries(attributes).map(([name, value]) => field(5, attributeProto(name, value))),
    ...(domain === undefined ? [] : [text(7, domain)]),
  ]);
}

function attributeProto(name: string, value: Attribute): Uint8Array {
  if (typeof value === 'number') return concat([text(1, name), integer(3, value), integer(20, 2)]);
  if ('float' in value) return concat([text(1, name), float32(2, value.float), integer(20, 1)]);
  return concat([text(1, name), ...value.map((v) => integer(8, v)), integer(20, 7)]);
}

function floatTensor(name: string, { shape, data }: Tensor): Uint8Array {
  const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return concat([...shape.map((d) => integer(1, d)), integer(2, FLOAT), text(8, name), field(9, raw)]);
}

function integerTensor(name: string, values: readonly number[]): Uint8Array {
  const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return concat([integer(1, values.length), integer(2, INT64), text(8, name), field(9, raw)]);
}

function valueInfo(name: string, type: number, dims: readonly (string | number)[]): Uint8Array {
  const shape = concat(dims.map((d) => field(1, typeof d === 'number' ? integer(1, d) : text(2, d))));
  return concat([text(1, name), field(2, field(1, concat([integer(1, type), field(2, shape)])))]);
}

// --- protobuf wire format ---------------------------------------------------------------------------------------------

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return bytes;
}

function integer(number: number, value: number): Uint8Array {
  return Uint8Array.from([...varint(number * 8), ...varint(value)]);
}

function float32(number: number, value: number): Uint8Array {
  return concat([Uint8Array.from(varint(number * 8 + 5)), new Uint8Array(Float32Array.of(value).buffer)]);
}

function field(number: number, bytes: Uint8Array): Uint8Array {
  return concat([Uint8Array.from([...varint(number * 8 + 2), ...varint(bytes.length)]), bytes]);
}

function text(number: number, value: string): Uint8Array {
  return field(number, new TextEncoder().encode(value));
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
