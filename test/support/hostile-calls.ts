import { quotePath } from '@cairn/tool/paths';

/** The part of a JSON Schema that inputs are made from. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
}

/** Parameters that are texts: a hostile name there is no name. Every other text may be one. */
const texts: readonly (readonly [name: RegExp, value: (name: string) => string])[] = [
  [/^(?:old_?(?:text|string|str|Text|String))$/u, () => 'needle'],
  [
    /^(?:new_?(?:text|string|str|Text|String)|content|contents|text|file_text|insert_text|instruction)$/u,
    () => 'new\n',
  ],
  [/^(?:to|destination|new_path)$/u, (name) => `moved/${name}`],
  [
    /^(?:patch|input|diff)$/u,
    (name) => `*** Begin Patch\n*** Update File: ${quotePath(name)}\n@@\n-needle\n+new\n*** End Patch\n`,
  ],
];

function valueOf(key: string, schema: Schema, name: string, isWhole: boolean): unknown {
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.type === 'string') return (texts.find(([known]) => known.test(key))?.[1] ?? ((one) => one))(name);
  if (schema.type === 'array') return [valueOf(key, schema.items ?? {}, name, isWhole)];
  if (schema.type === 'object') return inputOf(schema, name, isWhole);
  return schema.type === 'boolean' ? true : undefined;
}

/** An input with a hostile name wherever a name may be: only in required parameters, or in all. */
function inputOf(
  { properties = {}, required = [] }: Schema,
  name: string,
  isWhole: boolean,
): Readonly<Record<string, unknown>> {
  const keys = Object.keys(properties).filter((key) => isWhole || required.includes(key));
  return Object.fromEntries(keys.map((key) => [key, valueOf(key, properties[key] ?? {}, name, isWhole)]));
}

/**
 * Inputs of a tool with a hostile name wherever a name may be, made from its schema: so a new tool is covered without an edit.
 * The last ones search everything.
 */
export function hostileInputs(schema: Schema, name: string): Readonly<Record<string, unknown>>[] {
  const paths = [name, quotePath(name), `missing/${name}`, `../${name}`, `${name}/${name}`];
  const inputs = paths.flatMap((path) => [inputOf(schema, path, false), inputOf(schema, path, true)]);
  const { properties = {} } = schema;
  for (const pattern of ['**', 'needle', `*${name}*`]) {
    if (properties['pattern'] !== undefined) inputs.push({ pattern }, { ...inputOf(schema, name, false), pattern });
  }
  if (properties['path'] !== undefined) inputs.push({ path: '.', ...(properties['depth'] && { depth: 3 }) });
  const modes = Object.entries(properties).find(([, { enum: values }]) => values !== undefined);
  if (modes === undefined) return inputs;
  const [key, { enum: values = [] }] = modes;
  return inputs.flatMap((input) => values.map((value) => ({ ...input, [key]: value })));
}
