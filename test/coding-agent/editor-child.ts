/**
 * An editor in a process of its own. Each line of its input is a way of saving, a path, a content and a delay in microseconds, as JSON.
 * It saves after the delay and answers with the times at which the save began and was over, in nanoseconds.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { editorSaves } from './editor-save.ts';

for await (const line of createInterface({ input: process.stdin })) {
  const [way, path, content, delay] = JSON.parse(line) as [string, string, string, number];
  const until = process.hrtime.bigint() + BigInt(Math.round(delay * 1000));
  // A timer would be too coarse.
  while (process.hrtime.bigint() < until);
  const began = process.hrtime.bigint();
  editorSaves[way]?.(path, content);
  writeSync(1, `${JSON.stringify([`${began}`, `${process.hrtime.bigint()}`])}\n`);
}
