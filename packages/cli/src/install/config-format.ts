import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from './config-error.ts';

/** What stands in a configuration, by name. */
export type ConfigObject = Readonly<Record<string, unknown>>;

/** One value that is to be another, or with `undefined` not to be there. */
export interface ConfigChange {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** A language that configurations are written in. Texts come without a byte order mark. */
export interface ConfigFormat {
  readonly name: 'JSON' | 'TOML';
  /**
   * What a text says; nothing is in an empty one.
   *
   * @throws {ConfigError} `CONFIG_SYNTAX`, `CONFIG_SHAPE` when it is no object.
   */
  parse(text: string): ConfigObject;
  /**
   * Makes one change and leaves every other byte as it is, as far as that can be. Called through {@link changeText} only,
   * which checks what came of it.
   *
   * @throws {ConfigError} `CONFIG_SHAPE` when something else is in the way.
   */
  change(text: string, change: ConfigChange): string;
}

export function isObject(value: unknown): value is ConfigObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** What is at a path, when there is anything. */
export function valueAt(config: ConfigObject, path: readonly string[]): unknown {
  let value: unknown = config;
  for (const key of path) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

/** The same configuration with a change made. What has to be above the value is made too. */
export function changedObject(config: ConfigObject, { path, value }: ConfigChange): ConfigObject {
  const [key, ...rest] = path;
  if (key === undefined) return config;
  const { [key]: old, ...others } = config;
  if (rest.length === 0) return value === undefined ? others : { ...config, [key]: value };
  if (old === undefined && value === undefined) return config;
  return { ...config, [key]: changedObject(isObject(old) ? old : {}, { path: rest, value }) };
}

/** What keeps a text whose lines all end with CRLF so. */
export function lineEndOf(text: string): string {
  return /\r?\n/u.exec(text)?.[0] ?? '\n';
}

/**
 * Makes changes to a text, one after the other, and checks each: the text then says what it said, but for the change.
 *
 * @throws {ConfigError} `CONFIG_SYNTAX`, `CONFIG_SHAPE`; `CONFIG_UNSUPPORTED` when the check fails.
 */
export function changeText(format: ConfigFormat, text: string, changes: readonly ConfigChange[]): string {
  let changed = text;
  for (const change of changes) {
    const wanted = changedObject(format.parse(changed), change);
    const next = format.change(changed, change);
    if (!saysTheSame(format, next, change.value === undefined ? [wanted, change.path] : [wanted, []])) {
      throw new ConfigError(
        'CONFIG_UNSUPPORTED',
        `it writes ${change.path.join('.')} in a way that cannot be changed without touching the rest; change it by hand`,
      );
    }
    changed = next;
  }
  return changed;
}

/** Without the objects above a path that nothing is left in: in TOML they are only there while something is in them. */
function withoutEmpty(config: ConfigObject, path: readonly string[]): ConfigObject {
  const parent = path.slice(0, -1);
  if (parent.length === 0) return config;
  const value = valueAt(config, parent);
  const isEmpty = isObject(value) && Object.keys(value).length === 0;
  return withoutEmpty(isEmpty ? changedObject(config, { path: parent, value: undefined }) : config, parent);
}

function saysTheSame(
  format: ConfigFormat,
  text: string,
  [wanted, removed]: readonly [wanted: ConfigObject, removed: readonly string[]],
): boolean {
  try {
    const [got, expected] = [format.parse(text), wanted].map((one) => withoutEmpty(one, removed));
    return isSame(got, expected);
  } catch (error) {
    if (error instanceof ConfigError) return false;
    throw error;
  }
}

/** Whether two values say the same. Parsers make objects of different prototypes, which is no difference. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(plain(one), plain(other));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return new Map(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}
