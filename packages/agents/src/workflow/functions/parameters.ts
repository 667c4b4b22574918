import { z } from 'zod';

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The type in its JSON Schema; absent for any value, or one of several types. */
  readonly type?: string;
}

export interface Parameters {
  readonly list: readonly Parameter[];
  /** Whether the schema accepts other names, rejects them, or drops them without a word. */
  readonly others: 'accepted' | 'refused' | 'dropped';
}

const known = new WeakMap<z.ZodType, Parameters>();

export function parametersOf(schema: z.ZodType): Parameters {
  const before = known.get(schema);
  if (before) return before;
  const {
    properties = {},
    required = [],
    additionalProperties,
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
  });
  const list = Object.entries(properties).map(([name, property]): Parameter => {
    const { type, description = '' } = typeof property === 'boolean' ? {} : property;
    return { name, description, isRequired: required.includes(name), ...(typeof type === 'string' && { type }) };
  });
  const others =
    additionalProperties === undefined ? 'dropped' : additionalProperties === false ? 'refused' : 'accepted';
  const parameters: Parameters = { list, others };
  known.set(schema, parameters);
  return parameters;
}

export function listParameters({ list }: Parameters): string {
  return list.map(({ name, isRequired }) => `${name}${isRequired ? '' : '?'}`).join(', ');
}
