/** The shape of models.yaml: what each embedding model is, where it comes from and how its files are recognised. */
import { z } from 'zod';

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'a SHA-256 is 64 hexadecimal digits')
  .describe('SHA-256 of the file, lower-case hexadecimal.');

/** A file name inside the model's folder: never a path out of it. */
const fileName = z
  .string()
  .regex(/^[\w.-]+$/, 'a plain file name')
  .refine((name) => !/^\.+$/.test(name), 'a plain file name');

const hugFile = z.strictObject({
  path: z.string().optional().describe('Path in the repository, when it is not the file name.'),
  sha256,
});

const packageSource = z.strictObject({
  from: z.literal('package'),
  path: z.string().describe('File in this package.'),
  sha256,
});

const npmSource = z.strictObject({
  from: z.literal('npm'),
  package: z
    .string()
    .regex(/^[^@\s-][^\s]*@\d[^\s]*$/, 'name@version')
    .describe('Package and exact version.'),
  sha256: sha256.describe('SHA-256 of the archive.'),
  convert: z.literal('tfjs-bert').optional().describe('How its files become an ONNX graph.'),
  megabytes: z.number().positive().optional().describe('Size of the download, for people.'),
  files: z.record(fileName, z.string()).describe('File name -> path inside the package.'),
});

const hubSource = z.strictObject({
  from: z.literal('hugging-face'),
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'owner/name'),
  revision: z
    .string()
    .regex(/^[0-9a-f]{40}$/, 'a full commit')
    .describe('Pinned commit.'),
  megabytes: z.number().positive().optional().describe('Size of the download, for people.'),
  files: z.record(fileName, hugFile).describe('File name -> checksum.'),
});

const source = z.discriminatedUnion('from', [packageSource, npmSource, hubSource]);

const common = {
  summary: z.string().default('').describe('One line for `models list`.'),
  dimensions: z.number().int().min(8).max(8192).describe('Length of its vectors.'),
  licence: z.string().default('unknown').describe('Licence of the weights, or "hosted".'),
  prompts: z
    .strictObject({ query: z.string().default(''), document: z.string().default('') })
    .default({ query: '', document: '' })
    .describe('Text put before a query and before a document.'),
};
const local = {
  ...common,
  sources: z.array(source).min(1).describe('Where its files come from; the first is the default.'),
};
const served = {
  ...common,
  url: z.url({ protocol: /^https?$/ }).describe('Base address of the server.'),
  model: z.string().min(1).describe('Its name there.'),
  keyEnv: z.string().min(1).optional().describe('Environment variable that holds the key.'),
  batch: z.number().int().min(1).max(2048).default(64).describe('Texts in one request.'),
};

export const modelSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('static'), ...local }),
  z.strictObject({ kind: z.literal('model2vec'), ...local }),
  z.strictObject({
    kind: z.literal('onnx'),
    ...local,
    maxTokens: z.number().int().min(8).max(8192).default(256).describe('Longer texts are cut here.'),
  }),
  z.strictObject({ kind: z.literal('ollama'), ...served }),
  z.strictObject({ kind: z.literal('openai'), ...served }),
  z.strictObject({ kind: z.literal('voyage'), ...served }),
]);

export const modelsSchema = z.record(
  z.string().regex(/^[\w][\w.-]*$/, 'letters, digits, dots and hyphens'),
  modelSchema,
);

export type Model = z.output<typeof modelSchema>;
export type Models = z.output<typeof modelsSchema>;
export type LocalModel = Extract<Model, { sources: unknown }>;
export type ServedModel = Extract<Model, { url: string }>;
export type ModelSource = z.output<typeof source>;
export type NpmSource = z.output<typeof npmSource>;
export type HubSource = z.output<typeof hubSource>;

/** True when the model runs in this process, from files. */
export function isLocal(model: Model): model is LocalModel {
  return 'sources' in model;
}
