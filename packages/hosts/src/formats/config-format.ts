import { isDeepStrictEqual } from 'node:util';
import { HostError } from '../errors.ts';

/** A parsed configuration. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/** Sets the value at a path; `undefined` removes it. */
export interface ConfigChange {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A configuration language. Texts have no byte order mark. */
export interface ConfigFormat {
  readonly name: 'JSON' | 'TOML';
  /**
   * Parses a text. An empty text is an empty object.
   *
   * @throws {HostError} `CONFIG_SYNTAX`; `CONFIG_SHAPE` when it is not an object.
   */
  parse(text: string): ConfigObject;
  /**
   * Makes one change and keeps every other byte where possible. Called through {@link changeText} only, which checks the
   * result.
   *
   * @throws {HostError} `CONFIG_SHAPE` when a value of another kind is in the way.
   */
  change(text: string, change: ConfigChange): string;
}

export function isObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns the kind of a value in words, with its article. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Date) return 'a date';
  return typeof value === 'bigint' ? 'a number' : `a ${typeof value}`;
}

/** Returns the value at a path; `undefined` when there is none. */
export function valueAt(config: ConfigObject, path: readonly string[]): unknown {
  let value: unknown = config;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** Returns a copy of the configuration with the change made. Missing objects above the value are created. */
export function changedObject(config: ConfigObject, { path, value }: ConfigChange): ConfigObject {
  const [key, ...rest] = path;
  if (key === undefined) return config;
  const { [key]: old, ...others } = config;
  if (rest.length === 0) return value === undefined ? others : { ...config, [key]: value };
  if (old === undefined && value === undefined) return config;
  return { ...config, [key]: changedObject(isObject(old) ? old : {}, { path: rest, value }) };
}

/** Returns the line end that a text uses. */
export function lineEndOf(text: string): string {
  return /\r?\n/u.exec(text)?.[0] ?? '\n';
}

/**
 * Makes changes to a text, one after the other. Each result is parsed again and compared with the wanted configuration.
 *
 * @throws {HostError} `CONFIG_SYNTAX`, `CONFIG_SHAPE`; `CONFIG_UNSUPPORTED` when the comparison fails.
 */
export function changeText(format: ConfigFormat, text: string, changes: readonly ConfigChange[]): string {
  let changed = text;
  for (const change of changes) {
    const wanted = changedObject(format.parse(changed), change);
    const next = format.change(changed, change);
    if (!parsesTo(format, next, change.value === undefined ? [wanted, change.path] : [wanted, []])) {
      throw new HostError(
        'CONFIG_UNSUPPORTED',
        `${change.path.join('.')} is written in a form that cannot be changed without touching other parts; change it by hand`,
      );
    }
    changed = next;
  }
  return changed;
}

/** Returns the configuration without empty objects above a path: TOML has no way to write them. */
function withoutEmpty(config: ConfigObject, path: readonly string[]): ConfigObject {
  const parent = path.slice(0, -1);
  if (parent.length === 0) return config;
  const value = valueAt(config, parent);
  const isEmpty = isObject(value) && Object.keys(value).length === 0;
  return withoutEmpty(isEmpty ? changedObject(config, { path: parent, value: undefined }) : config, parent);
}

function parsesTo(
  format: ConfigFormat,
  text: string,
  [wanted, removed]: readonly [wanted: ConfigObject, removed: readonly string[]],
): boolean {
  try {
    const [got, expected] = [format.parse(text), wanted].map((one) => withoutEmpty(one, removed));
    return isSame(got, expected);
  } catch (error) {
    if (error instanceof HostError) return false;
    throw error;
  }
}

/** Returns whether two values are equal. Prototypes do not count: parsers create objects with different ones. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}
