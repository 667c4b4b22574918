import { z } from 'zod';

/** Spellings of one parameter that models know from different hosts. */
const spellings: readonly (readonly string[])[] = [
  ['path', 'file_path', 'filePath', 'filepath', 'file', 'dir_path', 'directory'],
  ['old_text', 'old_string', 'oldText', 'oldString', 'old_str'],
  ['new_text', 'new_string', 'newText', 'newString', 'new_str'],
  ['replace_all', 'replaceAll', 'allow_multiple', 'allowMultiple'],
  ['content', 'file_text', 'contents'],
  ['glob', 'include', 'include_pattern'],
  ['from', 'source', 'old_path', 'oldPath'],
  ['to', 'destination', 'new_path', 'newPath'],
  ['patch', 'input', 'patch_text', 'patchText', 'diff'],
  ['ignore_case', 'ignoreCase'],
  ['edits', 'replacements'],
];

/** Named values. */
export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A copy in which other spellings have the names of the schema. A name that is also given keeps its value. */
function rename(input: Fields, known: readonly string[]): Record<string, unknown> {
  const renamed: Record<string, unknown> = { ...input };
  for (const name of known) {
    for (const other of spellings.find((group) => group.includes(name)) ?? []) {
      if (known.includes(other) || !Object.hasOwn(renamed, other) || Object.hasOwn(renamed, name)) continue;
      renamed[name] = renamed[other];
      delete renamed[other];
    }
  }
  return renamed;
}

/** The schema below `optional` and `default`. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner === schema ? schema : innermost(inner);
}

/** Reads what a model wrote as text where a number, a flag or a list is wanted. Anything else is left as it is. */
function coerce(value: unknown, schema: z.core.$ZodType): unknown {
  const wanted = innermost(schema);
  if (wanted instanceof z.ZodNumber && typeof value === 'string' && /^\s*-?\d+\s*$/u.test(value)) return Number(value);
  if (wanted instanceof z.ZodBoolean && (value === 'true' || value === 'false')) return value === 'true';
  if (wanted instanceof z.ZodArray) {
    const items = asList(value);
    return Array.isArray(items) ? items.map((item) => normalize(item, wanted.element)) : items;
  }
  return value;
}

/** One object stands for an array of one, and text for the JSON it holds. */
function asList(value: unknown): unknown {
  if (isObject(value)) return [value];
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value;
  try {
    return asList(JSON.parse(value));
  } catch {
    return value;
  }
}

/** What was given, in the names and types of an object schema. `null` stands for a parameter that was not given. */
function normalize(input: unknown, schema: z.core.$ZodType): unknown {
  if (!isObject(input) || !(schema instanceof z.ZodObject)) return input;
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const entries = Object.entries(rename(input, Object.keys(shape))).filter(
    ([name, value]) => value !== undefined && !(value === null && name in shape),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, field === undefined ? value : coerce(value, field)];
    }),
  );
}

/** Turns what a tool is given into what its schema describes, before it is checked. */
type Adapt = (input: Fields) => Fields;

/** A schema that accepts more than the JSON Schema of it shows. */
function showing(shown: z.ZodRawShape, accepted: z.ZodObject<z.ZodRawShape, z.core.$strict>): typeof accepted {
  accepted._zod.toJSONSchema = () => {
    const { $schema: _, ...schema } = z.toJSONSchema(z.strictObject(shown), { io: 'input' });
    return schema;
  };
  return accepted;
}

/** The schema of parameters some of which models are not shown. */
export function inputSchemaBeyond(shape: z.ZodRawShape, unshown: z.ZodRawShape): z.ZodType<Fields> {
  const object = showing(shape, z.strictObject({ ...shape, ...unshown }));
  return z.preprocess((input) => normalize(input, object), object);
}

/**
 * The schema of a tool's parameters. Models are shown `shape`; other spellings, numbers as text and the like are accepted.
 *
 * `adapt` sees the input before, with the names as they were given.
 */
export function inputSchema<Shape extends z.ZodRawShape>(
  shape: Shape,
  adapt?: Adapt,
): z.ZodType<z.output<z.ZodObject<Shape, z.core.$strict>>> {
  const object = z.strictObject(shape);
  return z.preprocess((input) => normalize(adapt && isObject(input) ? adapt(input) : input, object), object);
}

/** A parameter's name as it is written in a message: `edits[0].old_text`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const where = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return `unknown parameter ${issue.keys.map((key) => pathOf([...issue.path, key])).join(', ')}`;
  }
  if (where === '') return issue.message;
  const given = issue.path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
  return given === undefined ? `missing parameter ${where}` : `wrong parameter ${where}: ${issue.message}`;
}

/** What is wrong with an input, with the names that are right. */
export function describeInputError(error: z.core.$ZodError, input: unknown, schema: z.ZodType): string {
  const wrong = error.issues.map((issue) => describeIssue(issue, input));
  return `${[...new Set(wrong)].join('; ')} (parameters: ${parametersOf(schema)})`;
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

/** The parameters of a schema in a line, optional ones with `?`. */
function parametersOf(schema: z.ZodType): string {
  return listParameters(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema);
}

function listParameters({ properties = {}, required = [] }: JsonSchema): string {
  const names = Object.entries(properties).map(([name, { items }]) => {
    const inner = items?.properties ? `: [{ ${listParameters(items)} }]` : '';
    return `${name}${required.includes(name) ? '' : '?'}${inner}`;
  });
  return names.join(', ');
}
