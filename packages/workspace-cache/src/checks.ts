import { isObject } from '@cairn/tool/kernel';
import { ToolError } from '@cairn/tool';

/** Returns a value for a message. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (!Array.isArray(value)) return `a value of type ${typeof value}`;
  return `[${value.slice(0, 3).map(describe).join(', ')}${value.length > 3 ? ', …' : ''}]`;
}

/** Returns whether a name of a tool can be shown in a prompt. */
export function isToolName(name: string): boolean {
  return /^[^\s`]+$/u.test(name);
}

/**
 * Checks one value. The value `undefined` counts as not given.
 *
 * @param expected what to use, without a full stop.
 * @throws {ToolError} `INVALID_OPTION`
 */
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

/** Checks that options are an object and have no unknown name. @throws {ToolError} `INVALID_OPTION` */
export function checkKnown(name: string, options: unknown, known: Iterable<string>): void {
  if (!isObject(options)) {
    throw new ToolError('INVALID_OPTION', [`invalid options of ${name}: ${describe(options)}`, 'Use an object.']);
  }
  const names = new Set(known);
  const option = Object.keys(options).find((one) => !names.has(one));
  if (option === undefined) return;
  throw new ToolError('INVALID_OPTION', [`unknown option ${option} of ${name}`, `Use ${[...names].join(', ')}.`]);
}

/** Checks the names of a host's tools. @throws {ToolError} `INVALID_OPTION` */
export function checkToolNames(toolNames: unknown): void {
  check('toolNames', toolNames, isObject(toolNames), 'an object');
  if (!isObject(toolNames)) return;
  checkKnown('toolNames', toolNames, ['list', 'read']);
  for (const [name, tool] of Object.entries(toolNames)) {
    check(`toolNames.${name}`, tool, typeof tool === 'string' && isToolName(tool), 'the name of a tool');
  }
}
