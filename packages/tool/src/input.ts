import { z } from 'zod';
import { checkArguments } from './kernel/tool-error.ts';
import { isObject, type Fields } from './kernel/values.ts';
import { escapeControls } from './paths/quote.ts';

/** Groups of names that hosts use for the same parameter, such as `path`, `file_path` and `filePath`. */
type ParameterAliases = readonly (readonly string[])[];

export interface InputSchemaOptions {
  /** Other accepted names of parameters. A group applies when the schema has one of its names. Default: none. */
  readonly aliases?: ParameterAliases | undefined;
  /** Converts the input before all else. It receives the names that the caller used. Default: no conversion. */
  readonly adapt?: ((input: Fields) => Fields) | undefined;
  /** Additional parameters that models do not see but may use. Default: none. */
  readonly hidden?: z.ZodRawShape | undefined;
}

/** Returns a copy in which aliases have the names of the schema. A value under the schema's own name is kept. */
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

function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : schema;
  return inner === schema ? schema : innermost(inner);
}

/** Converts text to a whole number, a flag or a list where the schema wants one. Returns any other value unchanged. */
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

/** Wraps one object in an array, and parses JSON text. Returns any other value unchanged. */
function asList(value: unknown): unknown {
  if (isObject(value)) return [value];
  if (typeof value !== 'string' || !/^\s*[[{]/u.test(value)) return value;
  try {
    return asList(JSON.parse(value));
  } catch {
    return value;
  }
}

/** Converts the input to the names and types of an object schema. `null` counts as a missing parameter. */
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

/** Makes a schema that accepts both shapes, while its JSON Schema shows only the first. */
function accepting<Shape extends z.ZodRawShape>(
  shown: Shape,
  hidden: z.ZodRawShape,
): z.ZodObject<Shape, z.core.$strict> {
  const accepted = z.strictObject({ ...shown, ...hidden });
  accepted._zod.toJSONSchema = () => {
    const { $schema: _, ...schema } = z.toJSONSchema(z.strictObject(shown), { io: 'input' });
    return schema;
  };
  return accepted as unknown as z.ZodObject<Shape, z.core.$strict>;
}

/** Tools are made for each session and each run; what their schemas cost, they cost once. */
const plainSchemas = new WeakMap<z.ZodRawShape, z.ZodType>();

/**
 * Makes the schema of a tool's parameters. Models see `shape`. Because models write some values in another form, the schema
 * also accepts: aliases of names; whole numbers, `true` and `false` as text; JSON text for a list; one object for a list of
 * objects; `null` for a missing parameter. It rejects unknown parameters.
 */
export function inputSchema<Shape extends z.ZodRawShape>(
  shape: Shape,
  options?: InputSchemaOptions,
): z.ZodType<z.output<z.ZodObject<Shape, z.core.$strict>>> {
  type Made = z.ZodType<z.output<z.ZodObject<Shape, z.core.$strict>>>;
  const known = options === undefined ? plainSchemas.get(shape) : undefined;
  if (known) return known as Made;
  checkArguments.options('inputSchema', options, { aliases: 'optional', adapt: 'optional', hidden: 'optional' });
  const { aliases = [], adapt, hidden } = options ?? {};
  const object = hidden ? accepting(shape, hidden) : z.strictObject(shape);
  const convert = (input: unknown): unknown =>
    normalize(adapt && isObject(input) ? adapt(input) : input, object, aliases);
  const schema: Made = z.preprocess(convert, object);
  if (options === undefined) plainSchemas.set(shape, schema);
  return schema;
}

/** Formats the path of a parameter for a message: `edits[0].old_text`. */
function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('');
}

/** Returns the value that an issue is about. Only the issue itself knows it under an alias or inside JSON text. */
function valueOf(issue: z.core.$ZodIssue, input: unknown): unknown {
  if ('input' in issue) return issue.input;
  return issue.path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    input,
  );
}

function describeIssue(issue: z.core.$ZodIssue, input: unknown): string {
  const where = pathOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return `unknown parameter ${issue.keys.map((key) => pathOf([...issue.path, key])).join(', ')}`;
  }
  if (where === '') return issue.message;
  return valueOf(issue, input) === undefined
    ? `missing parameter ${where}`
    : `invalid parameter ${where}: ${issue.message}`;
}

/**
 * Describes what is wrong with an input, and lists the valid parameters, optional ones with `?`. Parse with
 * `{ reportInput: true }`: without it, an invalid value under an alias is described as missing.
 */
export function describeInputError(error: z.core.$ZodError, input: unknown, schema: z.ZodType): string {
  const wrong = error.issues.map((issue) => describeIssue(issue, input));
  const parameters = listParameters(z.toJSONSchema(schema, { io: 'input' }) as JsonSchema);
  return `${escapeControls([...new Set(wrong)].join('; '))} (parameters: ${parameters})`;
}

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

function listParameters({ properties = {}, required = [] }: JsonSchema): string {
  const names = Object.entries(properties).map(([name, { items }]) => {
    const inner = items?.properties ? `: [{ ${listParameters(items)} }]` : '';
    return `${name}${required.includes(name) ? '' : '?'}${inner}`;
  });
  return names.join(', ');
}
