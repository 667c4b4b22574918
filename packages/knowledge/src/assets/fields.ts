import type { OptionNames } from '@cairn/tool/errors';
import { quoted } from '@cairn/tool/kernel';
import { KnowledgeError, type ErrorPlace } from '../errors.ts';
import { ASSET_TYPES, type AssetFields, type AssetKey, type AssetStatus, type AssetType } from './asset.ts';
import { invalidAsset, type ParsedYaml } from './front-matter.ts';
import { checkName, checkProductLine, DEFAULT_PRODUCT_LINE } from './names.ts';

/** UTF-16 code units. */
export const MAX_TITLE_CHARACTERS = 200;
const MAX_TAGS = 32;
const MAX_TAG_CHARACTERS = 64;
const MAX_PATHS = 64;
const MAX_PATH_CHARACTERS = 400;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/u;
const CONTROL = /[\p{Cc}\u2028\u2029\p{Cs}]/u;

/** The fields of the front matter, in the order in which they are written, with their names in a program. */
const FIELD_NAMES = {
  name: 'name',
  type: 'type',
  product_line: 'productLine',
  title: 'title',
  tags: 'tags',
  status: 'status',
  superseded_by: 'supersededBy',
  verified_at: 'verifiedMs',
  paths: 'paths',
  allow_secret: 'allowSecret',
} as const satisfies Readonly<Record<string, keyof FieldChanges>>;

type FieldName = keyof typeof FIELD_NAMES;

const ONE_LINE = 'Write a text of one line.';

/** Formats the day of a time, as `2026-01-28`. */
export function dayOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}

/** Cuts a string between characters, with `…`. */
export function shorten(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters - 1).replace(/\p{Cs}$/u, '')}…`;
}

/** Returns the type. @throws {KnowledgeError} `INVALID_INPUT`. */
export function checkType(value: unknown): AssetType {
  const type = ASSET_TYPES.find((one) => one === value);
  if (type !== undefined) return type;
  throw new KnowledgeError('INVALID_INPUT', [`Invalid asset type ${quoted(value)}`, `Use ${ASSET_TYPES.join(', ')}.`]);
}

function timeOf(value: unknown): number {
  const [, day, time = '00:00', zone = 'Z'] = DATE.exec(typeof value === 'string' ? value : '') ?? [];
  const dayMs = Date.parse(`${day}T00:00Z`);
  // Engines read 2026-02-31 as a day of March.
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(day ?? '');
  return isDay ? Date.parse(`${day}T${time}${zone}`) : Number.NaN;
}

/** The fields of one front matter. */
class FieldReader {
  readonly value: (field: FieldName) => unknown;
  readonly #placeOf: (field: FieldName) => ErrorPlace & { readonly line: number };

  constructor({ values, lineOf }: ParsedYaml, place: ErrorPlace) {
    this.value = (field) => values.get(field);
    this.#placeOf = (field) => ({ ...place, line: lineOf(field) ?? 1 });
  }

  /** @throws {KnowledgeError} `INVALID_ASSET` with the line of the field. */
  fail(field: FieldName, problem: string, hint: string): never {
    throw invalidAsset([problem, hint], this.#placeOf(field));
  }

  line(field: FieldName, value: unknown, maxCharacters: number): string {
    const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
    if (typeof text !== 'string') return this.fail(field, `${field} has a value that is not a text`, ONE_LINE);
    const trimmed = text.trim();
    const shown = quoted(trimmed);
    if (trimmed === '') return this.fail(field, `${field} is empty`, ONE_LINE);
    if (CONTROL.test(trimmed)) {
      return this.fail(field, `${field} has more than one line or control characters: ${shown}`, 'Write one line.');
    }
    if (trimmed.length <= maxCharacters) return trimmed;
    const problem = `${field} has ${trimmed.length} characters, more than ${maxCharacters}: ${shown}`;
    return this.fail(field, problem, 'Shorten it.');
  }

  list(field: FieldName, max: number, maxCharacters: number): string[] {
    const value = this.value(field) ?? [];
    const parts = typeof value === 'string' ? value.split(',').filter((part) => part.trim() !== '') : [value];
    const values: readonly unknown[] = Array.isArray(value) ? value : parts;
    if (values.length > max) {
      this.fail(field, `${field} has ${values.length} values, more than ${max}`, 'Keep the most important ones.');
    }
    return [...new Set(values.map((one) => this.line(field, one, maxCharacters)))];
  }

  type(): AssetType {
    const value = this.value('type');
    const type = ASSET_TYPES.find((one) => one === value);
    const problem = value === undefined ? 'type is missing' : `invalid type ${quoted(value)}`;
    return type ?? this.fail('type', problem, `Use ${ASSET_TYPES.join(', ')}.`);
  }

  status(): Exclude<AssetStatus, 'superseded'> {
    const value = this.value('status') ?? 'active';
    if (value === 'active' || value === 'deprecated') return value;
    const hint = 'Use active or deprecated, or name the asset that replaces it in superseded_by.';
    return this.fail('status', `invalid status ${quoted(value)}`, hint);
  }

  verifiedMs(): number | undefined {
    const value = this.value('verified_at');
    const timeMs = value === undefined ? undefined : timeOf(value);
    if (!Number.isNaN(timeMs)) return timeMs;
    return this.fail('verified_at', `invalid verified_at ${quoted(value)}`, 'Write a date such as 2026-01-28.');
  }

  allowSecret(): boolean {
    const value = this.value('allow_secret') ?? 'false';
    if (value === true || value === 'true') return true;
    if (value === false || value === 'false') return false;
    return this.fail('allow_secret', `invalid allow_secret ${quoted(value)}`, 'Use true, or leave it out.');
  }

  keyPart(field: 'name' | 'product_line', value: unknown): string {
    const text = typeof value === 'number' ? String(value) : value;
    try {
      return field === 'name' ? checkName(text) : checkProductLine(text);
    } catch (error) {
      if (!KnowledgeError.isInstance(error)) throw error;
      return this.fail(field, `${error.summary.charAt(0).toLowerCase()}${error.summary.slice(1)}`, error.hint);
    }
  }
}

export interface ParseAssetOptions extends ErrorPlace {
  /** What the place of the file says. Missing fields are taken from it, and others must agree with it. */
  readonly key?: AssetKey | undefined;
}

/** Returns the fields of front matter. @throws {KnowledgeError} `INVALID_ASSET` with the line. */
export function readFields(yaml: ParsedYaml, { key, ...place }: ParseAssetOptions): AssetFields {
  const reader = new FieldReader(yaml, place);
  const given = reader.value('name') ?? key?.name;
  if (given === undefined) reader.fail('name', 'name is missing', 'Write a line such as "name: redis-failover".');
  const name = reader.keyPart('name', given);
  const line = reader.value('product_line') ?? key?.productLine ?? DEFAULT_PRODUCT_LINE;
  const productLine = reader.keyPart('product_line', line);
  if (key !== undefined && name !== key.name) {
    const hint = `Name the file ${name}.md, or write "name: ${key.name}".`;
    reader.fail('name', `name ${quoted(name)} differs from the name of the file`, hint);
  }
  if (key !== undefined && productLine !== key.productLine) {
    const hint = `Move the file to ${productLine}/, or write "product_line: ${key.productLine}".`;
    reader.fail('product_line', `product_line ${quoted(productLine)} differs from the directory`, hint);
  }
  const type = reader.type();
  if (reader.value('title') === undefined) {
    reader.fail('title', 'title is missing', 'Write a line such as "title: Redis failover".');
  }
  const title = reader.line('title', reader.value('title'), MAX_TITLE_CHARACTERS);
  const by = reader.value('superseded_by');
  const supersededBy =
    by === undefined ? undefined : reader.line('superseded_by', by, MAX_PATH_CHARACTERS + MAX_TITLE_CHARACTERS);
  const verifiedMs = reader.verifiedMs();
  return {
    name,
    productLine,
    type,
    title,
    tags: reader.list('tags', MAX_TAGS, MAX_TAG_CHARACTERS),
    status: supersededBy === undefined ? reader.status() : 'superseded',
    ...(supersededBy !== undefined && { supersededBy }),
    ...(verifiedMs !== undefined && { verifiedMs }),
    paths: reader.list('paths', MAX_PATHS, MAX_PATH_CHARACTERS),
    ...(reader.allowSecret() && { allowSecret: true as const }),
  };
}

/** Changes of fields. `undefined` leaves a field as it is, `null` removes it. */
export interface FieldChanges {
  readonly name?: string | undefined;
  readonly productLine?: string | undefined;
  readonly type?: AssetType | undefined;
  readonly title?: string | undefined;
  readonly tags?: readonly string[] | null | undefined;
  readonly status?: 'active' | 'deprecated' | undefined;
  readonly supersededBy?: string | null | undefined;
  readonly verifiedMs?: number | null | undefined;
  readonly paths?: readonly string[] | null | undefined;
  readonly allowSecret?: boolean | undefined;
}

/** Every change of a field, for checks of arguments. */
export const fieldOptions: OptionNames<FieldChanges> = Object.fromEntries(
  Object.values(FIELD_NAMES).map((name) => [name, 'optional']),
) as OptionNames<FieldChanges>;

/** Returns the values that the front matter gets, in the order in which they are written; `null` for those that are removed. */
export function valuesOf(changes: FieldChanges): [string, unknown][] {
  const { verifiedMs, tags, paths, status, allowSecret } = changes;
  const values: Partial<Record<keyof FieldChanges, unknown>> = {
    ...changes,
    tags: tags?.length === 0 ? null : tags,
    paths: paths?.length === 0 ? null : paths,
    // Active is the default.
    status: status === 'active' ? null : status,
    allowSecret: allowSecret === false ? null : allowSecret,
    verifiedMs: typeof verifiedMs === 'number' ? dayOf(verifiedMs) : verifiedMs,
  };
  return Object.entries(FIELD_NAMES).flatMap(([field, name]) =>
    values[name] === undefined ? [] : [[field, values[name]]],
  );
}
