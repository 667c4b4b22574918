const numbers = new WeakMap<object, number>();
let last = 0;

/** Returns a number that no other object or function has; 0 for a primitive value. */
export function numberOf(value: unknown): number {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return 0;
  const known = numbers.get(value) ?? ++last;
  numbers.set(value, known);
  return known;
}

/** Returns a string that is equal for equal options. Functions have no other equality than their identity. */
export function keyOf(options: object): string {
  return JSON.stringify(options, (_name, value: unknown) =>
    typeof value === 'function' ? `function ${numberOf(value)}` : value,
  );
}
