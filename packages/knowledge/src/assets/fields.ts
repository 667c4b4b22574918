import { quoted } from '@cairn/tool/kernel';
import { KnowledgeError } from '../errors.ts';
import { ASSET_TYPES } from './asset.ts';
import type { AssetFields, AssetKey, AssetStatus, AssetType } from './asset.ts';
import { checkName, checkProductLine, DEFAULT_PRODUCT_LINE } from './names.ts';

/** UTF-16 code units. */
export const MAX_TITLE_CHARACTERS = 200;
const MAX_TAGS = 32;
const MAX_TAG_CHARACTERS = 64;
const MAX_PATHS = 64;
const MAX_PATH_CHARACTERS = 400;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/u;
const CONTROL = /[\p{Cc}\u2028\u2029\p{Cs}]/u;

/** The fields of the front matter that the program knows, in the order in which they are written. */
const FIELD_NAMES = [
  'name',
  'type',
  'product_line',
  'title',
  'tags',
  'status',
  'superseded_by',
  'verified_at',
  'paths',
] as const;

export type FieldName = (typeof FIELD_NAMES)[number];

export class FieldProblem extends Error {
  override readonly name: string = 'FieldProblem';
  readonly field: FieldName;
  readonly problem: string;
  readonly hint: string;

  constructor(field: FieldName, [problem, hint]: readonly [problem: string, hint: string]) {
    super(problem);
    this.field = field;
    this.problem = problem;
    this.hint = hint;
  }
}

function lineText(field: FieldName, value: unknown, maxCharacters: number): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') {
    throw new FieldProblem(field, [`${field} has a value that is not a text`, 'Write a text of one line.']);
  }
  const trimmed = text.trim();
  const shown = quoted(trimmed);
  if (trimmed === '') throw new FieldProblem(field, [`${field} is empty`, 'Write a text of one line.']);
  if (CONTROL.test(trimmed)) {
    throw new FieldProblem(field, [
      `${field} has more than one line or control characters: ${shown}`,
      'Write one line.',
    ]);
  }
  if (trimmed.length > maxCharacters) {
    const problem = `${field} has ${trimmed.length} characters, more than ${maxCharacters}: ${shown}`;
    throw new FieldProblem(field, [problem, 'Shorten it.']);
  }
  return trimmed;
}

function listOf(
  field: FieldName,
  value: unknown,
  limits: { readonly max: number; readonly maxCharacters: number },
): string[] {
  if (value === undefined) return [];
  const values: readonly unknown[] = Array.isArray(value)
    ? value
    : typeof value === 'string'
      ? value.split(',').filter((part) => part.trim() !== '')
      : [value];
  if (values.length > limits.max) {
    const problem = `${field} has ${values.length} values, more than ${limits.max}`;
    throw new FieldProblem(field, [problem, 'Keep the most important ones.']);
  }
  return [...new Set(values.map((one) => lineText(field, one, limits.maxCharacters)))];
}

/** Cuts a text between characters, with `…`. */
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

function typeOf(value: unknown): AssetType {
  const type = ASSET_TYPES.find((one) => one === value);
  if (type !== undefined) return type;
  const problem = value === undefined ? 'type is missing' : `invalid type ${quoted(value)}`;
  throw new FieldProblem('type', [problem, `Use ${ASSET_TYPES.join(', ')}.`]);
}

function statusOf(value: unknown, supersededBy: string | undefined): AssetStatus {
  if (supersededBy !== undefined) return 'superseded';
  if (value === undefined || value === 'active' || value === 'deprecated') return value ?? 'active';
  const hint = 'Use active or deprecated, or name the asset that replaces it in superseded_by.';
  throw new FieldProblem('status', [`invalid status ${quoted(value)}`, hint]);
}

function timeOf(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const [, day, time = '00:00', zone = 'Z'] = DATE.exec(typeof value === 'string' ? value : '') ?? [];
  const dayMs = Date.parse(`${day}T00:00Z`);
  // Engines read 2026-02-31 as a day of March.
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(day ?? '');
  const timeMs = isDay ? Date.parse(`${day}T${time}${zone}`) : Number.NaN;
  if (!Number.isNaN(timeMs)) return timeMs;
  throw new FieldProblem('verified_at', [`invalid verified_at ${quoted(value)}`, 'Write a date such as 2026-01-28.']);
}

function keyPart(field: 'name' | 'product_line', value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  try {
    return field === 'name' ? checkName(text) : checkProductLine(text);
  } catch (error) {
    if (!KnowledgeError.isInstance(error)) throw error;
    throw new FieldProblem(field, [`${error.summary.charAt(0).toLowerCase()}${error.summary.slice(1)}`, error.hint]);
  }
}

/**
 * Returns the fields of front matter.
 *
 * @param key what the place of the file says. Missing fields are taken from it, and others must agree with it.
 * @throws {FieldProblem}
 */
export function readFields(values: ReadonlyMap<string, unknown>, key: AssetKey | undefined): AssetFields {
  const given = values.get('name') ?? key?.name;
  if (given === undefined)
    throw new FieldProblem('name', ['name is missing', 'Write a line such as "name: redis-failover".']);
  const name = keyPart('name', given);
  const productLine = keyPart('product_line', values.get('product_line') ?? key?.productLine ?? DEFAULT_PRODUCT_LINE);
  if (key !== undefined && name !== key.name) {
    const hint = `Name the file ${name}.md, or write "name: ${key.name}".`;
    throw new FieldProblem('name', [`name ${quoted(name)} differs from the name of the file`, hint]);
  }
  if (key !== undefined && productLine !== key.productLine) {
    const hint = `Move the file to ${productLine}/, or write "product_line: ${key.productLine}".`;
    throw new FieldProblem('product_line', [`product_line ${quoted(productLine)} differs from the directory`, hint]);
  }
  const type = typeOf(values.get('type'));
  if (values.get('title') === undefined) {
    throw new FieldProblem('title', ['title is missing', 'Write a line such as "title: Redis failover".']);
  }
  const title = lineText('title', values.get('title'), MAX_TITLE_CHARACTERS);
  const by = values.get('superseded_by');
  const supersededBy =
    by === undefined ? undefined : lineText('superseded_by', by, MAX_PATH_CHARACTERS + MAX_TITLE_CHARACTERS);
  const verifiedMs = timeOf(values.get('verified_at'));
  return {
    name,
    productLine,
    type,
    title,
    tags: listOf('tags', values.get('tags'), { max: MAX_TAGS, maxCharacters: MAX_TAG_CHARACTERS }),
    status: statusOf(values.get('status'), supersededBy),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(verifiedMs !== undefined && { verifiedMs }),
    paths: listOf('paths', values.get('paths'), { max: MAX_PATHS, maxCharacters: MAX_PATH_CHARACTERS }),
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
}

/** Returns the values that the front matter gets, in the order of {@link FIELD_NAMES}; `null` for those that are removed. */
export function valuesOf(changes: FieldChanges): [FieldName, unknown][] {
  const { productLine, supersededBy, verifiedMs, tags, paths } = changes;
  const values: Record<FieldName, unknown> = {
    name: changes.name,
    type: changes.type,
    product_line: productLine,
    title: changes.title,
    tags: tags?.length === 0 ? null : tags,
    // Active is the default.
    status: changes.status === 'active' ? null : changes.status,
    superseded_by: supersededBy,
    verified_at: typeof verifiedMs === 'number' ? new Date(verifiedMs).toISOString().slice(0, 10) : verifiedMs,
    paths: paths?.length === 0 ? null : paths,
  };
  return FIELD_NAMES.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]]));
}
