import type { FunctionContext, StreamFunction, StreamFunctions } from '@cairn/memory';
import { isObject, type Fields } from '@cairn/tool';
import { z } from 'zod';
import { AgentError } from '../../errors.ts';
import { parametersOf } from './parameters.ts';

/** The context of a call: the `root` of the stream, if it has one, the signal that ends the call, and the id of the call. */
export interface FunctionDefinitionContext extends FunctionContext {
  readonly signal: AbortSignal;
  /** Equal when a call is repeated after a kill. */
  readonly callId: string;
}

/**
 * The parameters of a function: each name with its description, where `name?` is optional; or a Zod 4 schema or JSON Schema of
 * an object. With names and descriptions only, every value is accepted.
 */
export type FunctionParameters = Readonly<Record<string, string>> | z.ZodType | Readonly<Record<string, unknown>>;

/** A function that a workflow can call, as a user defines it. */
export interface FunctionDefinition {
  readonly name: string;
  readonly description: string;
  /** Default: unknown; a call has one JSON object. */
  readonly parameters?: FunctionParameters | undefined;
  /** Other names for `[alias:arguments]`, such as `生成Excel`. @default none */
  readonly aliases?: readonly string[] | undefined;
  /** Whether a call changes nothing, so that it may be repeated after a kill. @default false */
  readonly readOnly?: boolean | undefined;
  /** Returns the value that the model reads: a string, or a value that is written as JSON. An error is read too. */
  readonly execute: (input: never, context: FunctionDefinitionContext) => unknown;
}

export interface FunctionExtras {
  readonly aliases?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  readonly schema?: z.ZodType | undefined;
}

/** The names of the tools of the loop. */
const RESERVED = ['create_todos', 'finish_step', 'ask_user'];

/** Makes the schema of parameters that are only described. A name that ends in `?` is optional. */
export function schemaOf(parameters: Readonly<Record<string, string>> | undefined): z.ZodType {
  if (parameters === undefined) return z.looseObject({});
  const entries = Object.entries(parameters).map(([key, description]): [string, z.ZodType] => {
    const value = z.unknown().describe(description);
    return key.endsWith('?') ? [key.slice(0, -1), value.optional()] : [key, value];
  });
  return z.strictObject(Object.fromEntries(entries));
}

function isDescriptions(parameters: Fields): parameters is Readonly<Record<string, string>> {
  return parameters['type'] !== 'object' && Object.values(parameters).every((value) => typeof value === 'string');
}

function readParameters(parameters: unknown): z.ZodType | string {
  if (parameters === undefined) return schemaOf(undefined);
  if (!isObject(parameters)) return '`parameters` is not an object';
  try {
    const schema = toSchema(parameters);
    if (typeof schema === 'string') return schema;
    // A model is shown the JSON Schema.
    const shown = z.toJSONSchema(schema, { io: 'input' });
    return shown.type === 'object' ? schema : '`parameters` is not the schema of an object';
  } catch (error) {
    return `\`parameters\` is not a usable schema: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function toSchema(parameters: Fields): z.ZodType | string {
  if (parameters instanceof z.ZodType) return parameters;
  if ('_def' in parameters) return '`parameters` is a schema of an older Zod; use Zod 4';
  if (isDescriptions(parameters)) return schemaOf(parameters);
  const { type, properties } = parameters;
  if (type !== 'object' && !isObject(properties))
    return '`parameters` has neither descriptions nor a JSON Schema of an object';
  // JSON Schema accepts unknown names unless it says otherwise; a model that writes one has mistyped it.
  return z.fromJSONSchema({ additionalProperties: properties === undefined, ...parameters, type: 'object' } as never);
}

function isName(value: unknown, forbidden: RegExp): value is string {
  if (typeof value !== 'string' || value.trim() !== value) return false;
  return value !== '' && value.length <= 64 && !forbidden.test(value);
}

const FORBIDDEN_IN_NAMES = /[\s:：[\]【】［］{}"“”.]/u;
const FORBIDDEN_IN_ALIASES = /[\n:：[\]【】［］{}"“”]/u;

function problemsOf(value: unknown): string[] {
  if (!isObject(value)) return ['it is not an object with name, description and execute'];
  const { name, description, parameters, aliases, readOnly, execute, ...others } = value;
  const schema = readParameters(parameters);
  const unknown = Object.keys(others);
  const isAlias = (alias: unknown): boolean => isName(alias, FORBIDDEN_IN_ALIASES);
  const isReserved = typeof name === 'string' && RESERVED.includes(name);
  const hasAliases = aliases === undefined || (Array.isArray(aliases) && aliases.every(isAlias));
  const checks: readonly (readonly [isValid: boolean, problem: string])[] = [
    [
      isName(name, FORBIDDEN_IN_NAMES),
      '`name` is not a text of at most 64 characters without spaces, brackets, quotes, ":" and "."',
    ],
    [!isReserved, `the name ${JSON.stringify(name)} is one of the workflow itself`],
    [typeof description === 'string' && description.trim() !== '', '`description` is not a text'],
    [typeof schema !== 'string', typeof schema === 'string' ? schema : ''],
    [hasAliases, '`aliases` is not a list of texts without brackets, quotes and ":"'],
    [readOnly === undefined || typeof readOnly === 'boolean', '`readOnly` is neither true nor false'],
    [typeof execute === 'function', '`execute` is not a function'],
    [unknown.length === 0, `unknown fields ${unknown.join(', ')}`],
  ];
  return checks.flatMap(([isValid, problem]) => (isValid ? [] : [problem]));
}

/** A value that should be a definition, with what messages call it. */
export interface Candidate {
  readonly label: string;
  readonly value: unknown;
}

/** Checks definitions. All problems are reported at once. @throws {AgentError} `INVALID_FUNCTIONS` */
export function checkFunctions(candidates: readonly Candidate[], where: string, path?: string): FunctionDefinition[] {
  const found = candidates.flatMap(({ label, value }) => problemsOf(value).map((problem) => `${label}: ${problem}`));
  const owners = new Map<string, string>();
  for (const { label, value } of candidates) {
    if (!isObject(value)) continue;
    const names = new Set([value['name'], ...(Array.isArray(value['aliases']) ? (value['aliases'] as unknown[]) : [])]);
    for (const name of names) {
      if (typeof name !== 'string') continue;
      const other = owners.get(name);
      if (other !== undefined) found.push(`${label}: the name ${JSON.stringify(name)} is also one of ${other}`);
      owners.set(name, label);
    }
  }
  if (found.length > 0) {
    const hint = 'A function has name, description and execute, and may have parameters, aliases and readOnly.';
    throw new AgentError('INVALID_FUNCTIONS', [`Invalid functions ${where}: ${found.join('; ')}`, hint], { path });
  }
  return candidates.map(({ value }) => value as FunctionDefinition);
}

/** Returns functions for `defineStream` of a memory. Merges keep aliases and schemas. @throws {AgentError} `INVALID_FUNCTIONS` */
export function toStreamFunctions(definitions: readonly FunctionDefinition[]): StreamFunctions {
  const candidates = definitions.map((value, index) => ({ label: value?.name ?? `function ${index}`, value }));
  return Object.fromEntries(
    checkFunctions(candidates, 'of the workflow').map((one): [string, StreamFunction & FunctionExtras] => {
      const { name, parameters, execute, ...others } = one;
      const schema = readParameters(parameters) as z.ZodType;
      return [name, { ...others, parameters: describe(schema), schema, execute: execute as never }];
    }),
  );
}

function describe(schema: z.ZodType): Readonly<Record<string, string>> {
  return Object.fromEntries(
    parametersOf(schema).list.map(({ name, description, type, isRequired }) => {
      const meaning = description === '' ? (type ?? '') : description;
      return [isRequired ? name : `${name}?`, meaning];
    }),
  );
}
