/**
 * How much do agents add to the requests to a model?
 *
 *     npm run bench -- agents [--rounds 100]
 *
 * A scripted model server runs in a process of its own. The task has four requests and five calls of tools, which all contestants
 * have with the same names, descriptions and schemas. Own time: from the call to the result, without the time in which the server
 * read and answered. Tokens: of the bodies of the requests, as `estimateTokens` counts them. The turns on long histories alternate
 * with `streamText` of the AI SDK, which sends the same messages and tools. Each history is larger than the token budget.
 */
import { parseArgs } from 'node:util';
import { median } from '../lib/statistics.ts';
import { aiSdk, cairn, langGraph } from './contestants.ts';
import { measureBare, measureFull } from './long-history.ts';
import type { OwnTime } from './long-history.ts';
import { startModel } from './model-process.ts';
import type { Measured } from './server.ts';
import { check, Project, script } from './task.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const rounds = Number(values.rounds);
const WARM_UP = 20;
const GOAL_MS = 3;
const LENGTHS = [1000, 2000, 8000];

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function task(): Promise<void> {
  const server = await startModel(script);
  const contestants = [cairn(server), aiSdk(server), langGraph(server)];
  const times = new Map(contestants.map(({ name }) => [name, [] as number[]]));
  const sent = new Map<string, Measured>();
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const { name, run } of round % 2 === 0 ? contestants : contestants.toReversed()) {
      const project = new Project();
      await server.measured();
      const begin = performance.now();
      const text = await run(project);
      const ms = performance.now() - begin;
      const measured = await server.measured();
      check(project, text);
      sent.set(name, measured);
      if (round >= 0) times.get(name)?.push(ms - measured.ms);
    }
  }
  print('| task of four requests | requests | tokens sent | own time (median) | minimum |');
  print('| --- | --- | --- | --- | --- |');
  for (const [name, own] of times) {
    const { requests = 0, tokens = 0 } = sent.get(name) ?? {};
    print(`| ${name} | ${requests} | ${tokens} | ${median(own).toFixed(2)} ms | ${Math.min(...own).toFixed(2)} ms |`);
  }
  server.close();
}

function printTimes(title: string, all: readonly OwnTime[]): void {
  print(`\n| ${title} | messages sent | own time of a turn | of streamText | difference |`);
  print('| --- | --- | --- | --- | --- |');
  for (const { messages, sent, cairnMs, sdkMs, differenceMs } of all) {
    const figures = [cairnMs, sdkMs, differenceMs].map((ms) => `${ms.toFixed(2)} ms`);
    print(`| ${messages} messages | ${[sent, ...figures].join(' | ')} |`);
  }
  const long = all.find(({ messages }) => messages === 2000);
  if (long) print(`\nGoal ${GOAL_MS} ms at 2,000 messages: ${long.differenceMs <= GOAL_MS ? 'met' : 'MISSED'}`);
}

async function turns(): Promise<void> {
  const server = await startModel([{ text: 'All is well, go on.' }]);
  const bare: OwnTime[] = [];
  const full: OwnTime[] = [];
  for (const length of LENGTHS) bare.push(await measureBare(server, length, rounds));
  for (const length of LENGTHS) full.push(await measureFull(server, length, rounds));
  printTimes('history in memory, no tools', bare);
  printTimes('history in SQLite, all tools, memory, workspace', full);
  server.close();
}

await task();
await turns();
