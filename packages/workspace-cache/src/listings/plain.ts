/** Data that is nested more deeply, such as a cycle, is not copied. */
const MAX_DEPTH = 64;

/** The memory of a value besides its characters or bytes. */
const VALUE_BYTES = 16;

/** A copy of plain data, and the memory that it takes at most. */
export interface PlainCopy<Value> {
  readonly value: Value;
  readonly cost: number;
}

/** Thrown inside this module only. */
const notPlain = new Error('not plain data');

function copyObject(value: object, copy: (part: unknown) => unknown, spend: (cost: number) => void): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Date.prototype) return new Date((value as Date).getTime());
  if (prototype === Buffer.prototype || prototype === Uint8Array.prototype) {
    const bytes = value as Uint8Array;
    spend(bytes.length);
    return prototype === Buffer.prototype ? Buffer.from(bytes) : Uint8Array.from(bytes);
  }
  const isArray = prototype === Array.prototype && Array.isArray(value);
  if (!isArray && prototype !== Object.prototype && prototype !== null) throw notPlain;
  if (isArray) spend(value.length);
  const keys = Reflect.ownKeys(value);
  // Holes and extra properties would be lost.
  if (isArray && keys.length !== value.length + 1) throw notPlain;
  const entries = keys
    .filter((key) => !isArray || key !== 'length')
    .map((key): readonly [string, unknown] => {
      const property = Reflect.getOwnPropertyDescriptor(value, key);
      if (typeof key !== 'string' || !property?.enumerable || !('value' in property)) throw notPlain;
      if (!isArray) spend(VALUE_BYTES + 2 * key.length);
      return [key, copy(property.value)];
    });
  if (isArray) return entries.map(([, part]) => part);
  const copied = Object.fromEntries(entries);
  return prototype === null ? Object.assign(Object.create(null), copied) : copied;
}

/**
 * Copies plain data: what JSON has, and `undefined`, big integers, dates and bytes. Returns `undefined` for anything else, such as
 * functions, class instances, getters and cycles, and for data that takes more memory than `maxCost`. Never throws.
 */
export function copyPlain<Value>(value: Value, maxCost: number): PlainCopy<Value> | undefined {
  let cost = 0;
  const spend = (more: number): void => {
    cost += more;
    if (cost > maxCost) throw notPlain;
  };
  const copy = (part: unknown, depth: number): unknown => {
    spend(VALUE_BYTES);
    if (typeof part === 'string') spend(2 * part.length);
    if (typeof part === 'function' || typeof part === 'symbol') throw notPlain;
    if (typeof part !== 'object' || part === null) return part;
    if (depth === MAX_DEPTH) throw notPlain;
    return copyObject(part, (inner) => copy(inner, depth + 1), spend);
  };
  try {
    // It has the same properties.
    return { value: copy(value, 0) as Value, cost };
  } catch {
    // A proxy may throw anything.
    return undefined;
  }
}

/** Returns a string that is equal for equal plain data alone. The order of properties does not matter. */
export function textOfPlain(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value !== 'object' || value === null) return String(value);
  if (value instanceof Date) return `date ${value.getTime()}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`;
  if (Array.isArray(value)) return `[${value.map(textOfPlain).join(',')}]`;
  const entries = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}:${textOfPlain(part)}`);
  return `{${entries.toSorted().join(',')}}`;
}
