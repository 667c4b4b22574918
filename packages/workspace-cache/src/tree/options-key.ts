/** Numbers of functions, which have no other equality than their identity. */
const numbers = new WeakMap<object, number>();
let last = 0;

function numberOf(value: object): number {
  const known = numbers.get(value);
  if (known !== undefined) return known;
  last += 1;
  numbers.set(value, last);
  return last;
}

/** Returns a text that is equal for equal options. */
export function keyOf(options: object): string {
  return JSON.stringify(options, (_name, value: unknown) =>
    typeof value === 'function' ? `function ${numberOf(value)}` : value,
  );
}
