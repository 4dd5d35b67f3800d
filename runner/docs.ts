/** Documentation and JSON Schema, generated from the stages' own specs: nothing is described twice. */
import { z } from 'zod';
import type { TOP_KEYS } from './load.js';
import type { AnyStage, StageRegistry } from './stage.js';

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly [key: string]: unknown;
}

export interface StageRow {
  readonly name: string;
  readonly summary: string;
  readonly takes: string;
  readonly gives: string;
  readonly mode: string;
  readonly effects: readonly string[];
  readonly needs: readonly string[];
  readonly config: JsonSchema;
}

/** The input side of a stage's config as JSON Schema. */
function schemaOf(stage: AnyStage): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(stage.config, { io: 'input', unrepresentable: 'any' }) as Record<
    string,
    unknown
  >;
  return schema as JsonSchema;
}

/** All stages, alphabetical. */
export function stageTable(registry: StageRegistry): StageRow[] {
  return [...registry.values()]
    .sort((a, b) => a.name.localeCompare(b.name, 'en'))
    .map((stage) => ({
      name: stage.name,
      summary: stage.summary,
      takes: stage.takes,
      gives: stage.gives,
      mode: stage.mode,
      effects: stage.effects,
      needs: stage.needs,
      config: schemaOf(stage),
    }));
}

/** One stage as Markdown: summary, contract, settings with defaults. */
export function describeStage(stage: AnyStage): string {
  const lines = [`## ${stage.name}`, '', stage.summary, ''];
  lines.push(
    `Takes ${stage.takes}, gives ${stage.gives}; mode ${stage.mode}; effects ${stage.effects.join(', ')}${stage.needs.length > 0 ? `; needs ${stage.needs.join(', ')}` : ''}.`,
    '',
  );
  if (stage.docs) lines.push(stage.docs.trim(), '');
  const settings = Object.entries(schemaOf(stage).properties ?? {});
  if (settings.length > 0) {
    lines.push('| setting | type | default | meaning |', '|---|---|---|---|');
    for (const [key, schema] of settings) {
      const value = schema.default === undefined ? '' : `\`${JSON.stringify(schema.default)}\``;
      lines.push(`| \`${key}\` | ${typeOf(schema)} | ${value} | ${schema.description ?? ''} |`);
    }
    lines.push('');
  }
  return `${lines.join('\n')}\n`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map((v) => `\`${String(v)}\``).join(' or ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${schema.items ? typeOf(schema.items) : 'values'}`;
  return Array.isArray(schema.type) ? schema.type.join(' or ') : String(schema.type ?? 'value');
}

/** docs/stages.md. */
export function stagesMarkdown(registry: StageRegistry): string {
  const stages = [...registry.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  const head = '# Stages\n\nGenerated from the stages by `npm run docs`; do not edit.\n\n';
  return head + stages.map(describeStage).join('\n');
}

/** pipelines/pipeline.schema.json: what editors complete and check against. */
export function pipelineJsonSchema(registry: StageRegistry): unknown {
  const onError = { enum: ['skip', 'retry', 'stop'], description: 'What happens to an item whose stage throws.' };
  const stageSteps = stageTable(registry).map(({ name, summary, config }) => ({
    type: 'object',
    description: summary,
    properties: { [name]: { ...config, type: ['object', 'null'], properties: { ...config.properties, onError } } },
    required: [name],
    additionalProperties: false,
  }));
  const top: Record<(typeof TOP_KEYS)[number], unknown> = {
    version: { const: 1 },
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' },
    summary: { type: 'string', description: 'One sentence.' },
    mode: { enum: ['batch', 'query'], default: 'batch' },
    readOnly: { type: 'boolean', description: 'Refuse stages that write.' },
    offline: { type: 'boolean', description: 'Refuse stages that use the network.' },
    deadline: { type: 'string', description: 'For queries: answer with what is there after this time.' },
    concurrency: { type: 'integer', minimum: 1, maximum: 64, default: 1 },
    onError,
    steps: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
    // biome-ignore lint/suspicious/noThenProperty: the name of a key in pipeline files
    then: { type: 'array', items: { type: 'string' }, description: 'Pipelines to run afterwards.' },
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Sluice pipeline',
    type: 'object',
    properties: top,
    required: ['version', 'name', 'steps'],
    additionalProperties: false,
    $defs: {
      step: { anyOf: [{ enum: stageTable(registry).map((s) => s.name) }, { $ref: '#/$defs/parallel' }, ...stageSteps] },
      parallel: {
        type: 'object',
        properties: {
          parallel: {
            type: 'object',
            additionalProperties: {
              type: 'object',
              properties: {
                optional: { type: 'boolean' },
                steps: { type: 'array', minItems: 1, items: { $ref: '#/$defs/step' } },
              },
              required: ['steps'],
              additionalProperties: false,
            },
          },
          atLeast: { type: 'integer', minimum: 0 },
        },
        required: ['parallel'],
        additionalProperties: false,
      },
    },
  };
}
