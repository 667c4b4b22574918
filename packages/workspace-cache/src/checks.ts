import { checkArguments, quoted, type OptionNames } from '@cairn/tool/kernel';
import { ToolError } from '@cairn/tool';
import type { ToolNames } from './data.ts';

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export function describe(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (!Array.isArray(value)) return `a value of type ${typeof value}`;
  return `[${value.slice(0, 3).map(describe).join(', ')}${value.length > 3 ? ', …' : ''}]`;
}

/** Returns whether a value is the name of a tool that can be shown in a prompt. */
export function isToolName(name: unknown): boolean {
  return typeof name === 'string' && /^[^\s`]+$/u.test(name);
}

export type Rule = readonly [accepts: (value: unknown) => boolean, expected: string];

export type Rules<Options> = { readonly [Name in keyof Options]-?: Rule };

export const flag: Rule = [(value) => typeof value === 'boolean', 'true or false'];

export const isFunction = (value: unknown): boolean => typeof value === 'function';

export const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

/** Returns the names of options that have rules. None of them is required. */
export function namesIn<Options>(rules: Rules<Options>): OptionNames<Options> {
  return Object.fromEntries(Object.keys(rules).map((name) => [name, 'optional'])) as OptionNames<Options>;
}

/** Checks the values of options that have rules. @throws {ToolError} `INVALID_OPTION` */
export function checkValues<Options>(options: Options, rules: Rules<Options>): void {
  for (const [name, [accepts, expected]] of Object.entries<Rule>(rules)) {
    const value = options[name as keyof Options];
    check(name, value, accepts(value), expected);
  }
}

/** Checks the names and the values of the options of a call. @throws {ToolError} `INVALID_OPTION` */
export function checkOptions<Options>(call: string, options: Options, rules: Rules<Options>): void {
  checkArguments.options(call, options, namesIn(rules));
  checkValues(options, rules);
}

/** Checks one value, unless it is not given. @throws {ToolError} `INVALID_OPTION` */
export function check(place: string, value: unknown, isValid: boolean, expected: string): void {
  if (value === undefined || isValid) return;
  const summary = `invalid option ${place}: ${describe(value)}`;
  throw new ToolError('INVALID_OPTION', [summary, `Use ${expected}.`]);
}

/** Checks that a value is a function, unless it is not given. @throws {ToolError} `INVALID_OPTION` */
export function checkFunction(place: string, value: unknown): void {
  if (value === undefined || typeof value === 'function') return;
  throw new ToolError('INVALID_OPTION', [`${place} must be a function, not ${describe(value)}`, 'Pass a function.']);
}

/** Checks the names of a host's tools. @throws {ToolError} `INVALID_OPTION` */
export function checkToolNames(toolNames: ToolNames): void {
  checkArguments.options<ToolNames>('toolNames', toolNames, { list: 'optional', read: 'optional' });
  for (const [name, tool] of Object.entries(toolNames)) {
    check(`toolNames.${name}`, tool, isToolName(tool), 'the name of a tool');
  }
}
