import { z } from 'zod';

/** Names that stand for one parameter in different hosts, such as `path`, `file_path` and `filePath`. */
export type ParameterAliases = readonly (readonly string[])[];

/** Options of {@link inputSchema}. */
export interface InputSchemaOptions {
  /** Other accepted names of parameters. A group counts where the schema has one of its names. Default: none. */
  readonly aliases?: ParameterAliases | undefined;
  /** Changes the input before it is checked; it sees the names that the caller gave. Default: no change. */
  readonly adapt?: ((input: Fields) => Fields) | undefined;
}

/** An object with any fields. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns whether a value is an object and not an array. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a copy in which aliases have the names of the schema. A name that is given itself keeps its value. */
function rename(input: Fields, known: readonly string[], aliases: ParameterAliases): Record<string, unknown> {
  const renamed: Record<string, unknown> = { ...input };
  for (const name of known) {
    for (const other of aliases.find((group) => group.includes(name)) ?? []) {
      if (known.includes(other) || !Object.hasOwn(renamed, other) || Object.hasOwn(renamed, name)) continue;
      renamed[name] = renamed[other];
      delete renamed[other];
    }
  }
  return renamed;
}

/** Returns the schema inside `optional` and `default`. */
function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner === schema ? schema : innermost(inner);
}

/** Converts text that a model wrote for a number, a flag or a list. Returns any other value unchanged. */
function coerce(value: unknown, schema: z.core.$ZodType, aliases: ParameterAliases): unknown {
  const wanted = innermost(schema);
  if (wanted instanceof z.ZodNumber && typeof value === 'string' && /^\s*-?\d+\s*$/u.test(value)) return Number(value);
  if (wanted instanceof z.ZodBoolean && (value === 'true' || value === 'false')) return value === 'true';
  if (wanted instanceof z.ZodArray) {
    const items = asList(value);
    return Array.isArray(items) ? items.map((item) => normalize(item, wanted.element, aliases)) : items;
  }
  return value;
}

/** Reads one object as an array of one, and text as the JSON that it holds. */
function asList(value: unknown): unknown {
  if (isObject(value)) return [value];
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value;
  try {
    return asList(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Returns the input in the names and types of an object schema. `null` counts as a missing parameter. */
function normalize(input: unknown, schema: z.core.$ZodType, aliases: ParameterAliases): unknown {
  if (!isObject(input) || !(schema instanceof z.ZodObject)) return input;
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  const entries = Object.entries(rename(input, Object.keys(shape), aliases)).filter(
    ([name, value]) => value !== undefined && !(value === null && name in shape),
  );
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined;
      return [name, field === undefined ? value : coerce(value, field, aliases)];
    }),
  );
}

/** Makes a schema accept more than its JSON Schema shows. */
function showing(shown: z.ZodRawShape, accepted: z.ZodObject<z.ZodRawShape, z.core.$strict>): typeof accepted {
  accepted._zod.toJSONSchema = () => {
    const { $schema: _, ...schema } = z.toJSONSchema(z.strictObject(shown), { io: 'input' });
    return schema;
  };
  return accepted;
}

/** Makes the schema of parameters, some of which models do not see. */
export function inputSchemaBeyond(
  shape: z.ZodRawShape,
  hidden: z.ZodRawShape,
  { aliases = [] }: Pick<InputSchemaOptions, 'aliases'> = {},
): z.ZodType<Fields> {
  const object = showing(shape, z.strictObject({ ...shape, ...hidden }));
  return z.preprocess((input) => normalize(input, object, aliases), object);
}

/**
 * Makes the schema of a tool's parameters. Models see `shape`. The schema also accepts aliases, numbers and flags as text,
 * JSON text for lists, one object for an array of one, and `null` for a missing parameter. It refuses unknown parameters.
 */
export function inputSchema<Shape extends z.ZodRawShape>(
  shape: Shape,
  { aliases = [], adapt }: InputSchemaOptions = {},
): z.ZodType<z.output<z.ZodObject<Shape, z.core.$strict>>> {
  const object = z.strictObject(shape);
  return z.preprocess((input) => normalize(adapt && isObject(input) ? adapt(input) : input, object, aliases), object);
}

/** Writes the place of a parameter for a message: `edits[0].old_text`. */
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
  return given === undefined ? `missing parameter ${where}` : `invalid parameter ${where}: ${issue.message}`;
}

/** Describes what is wrong with an input, and lists the valid parameters. */
export function describeInputError(error: z.core.$ZodError, input: unknown, schema: z.ZodType): string {
  const wrong = error.issues.map((issue) => describeIssue(issue, input));
  return `${[...new Set(wrong)].join('; ')} (parameters: ${parametersOf(schema)})`;
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

/** Lists the parameters of a schema in one line, optional ones with `?`. */
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
