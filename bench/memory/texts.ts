/** The texts and times of the measurements. */
const words = [
  'table',
  'redis',
  'cluster',
  'user',
  'deploy',
  'timeout',
  'build',
  'cache',
  'index',
  '表格',
  '内容',
  '用户',
  '数据',
  '天气',
  '文件',
  '配置',
];

/** A message of some 120 bytes; the same for the same number. */
export function textOf(index: number): string {
  const picked = Array.from(
    { length: 14 },
    (_, place) => words[(index * 31 + place * place * 7 + Math.floor(index / 16) * place) % words.length],
  );
  return `${picked.join(' ')} ${index}`;
}

export async function time(run: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await run();
  return performance.now() - began;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** The figures of one search. Times in milliseconds. */
export interface Search {
  readonly ms: number;
  readonly processorMs: number;
  /** Of the thread, in processor time: other work of the machine does not count. */
  readonly maxTurnMs: number;
  readonly residentBytes: number;
  readonly found: number;
}

/** The query of the measurements, which most messages have a word of. */
export const QUERY = '表格内容 redis timeout 77777';
