import { describeInputError, isObject } from '@cairn/tool';
import type { Language } from '@cairn/tool/kernel';
import type { z } from 'zod';
import { listParameters, parametersOf } from './parameters.ts';
import { problems } from './problems.ts';

/** `output` has the defaults and conversions of the schema. */
export type CheckedInput =
  | { readonly isValid: true; readonly input: unknown; readonly output: unknown }
  | { readonly isValid: false; readonly problem: string };

/** Checks the arguments of a function. Names that its schema does not have are rejected, also where Zod would drop them. */
export async function checkInput(
  { name, inputSchema }: { readonly name: string; readonly inputSchema: z.ZodType },
  input: unknown,
  language: Language = 'en',
): Promise<CheckedInput> {
  const texts = problems[language];
  const parameters = parametersOf(inputSchema);
  const parsed = await inputSchema.safeParseAsync(input, { reportInput: true });
  if (!parsed.success) {
    if (!isObject(input)) return { isValid: false, problem: texts.notAnObject(name, listParameters(parameters)) };
    return { isValid: false, problem: texts.invalid(name, describeInputError(parsed.error, input, inputSchema)) };
  }
  if (parameters.others === 'dropped' && isObject(input)) {
    const names = parameters.list.map((parameter) => parameter.name);
    const dropped = Object.keys(input).filter((key) => !names.includes(key));
    if (dropped.length > 0) {
      const problem = texts.unknownNames(name, dropped.join(', '), listParameters(parameters));
      return { isValid: false, problem };
    }
  }
  return { isValid: true, input, output: parsed.data };
}
