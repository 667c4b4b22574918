/**
 * How much do agents add to the requests to a model?
 *
 *     npm run bench -- agents [--rounds 100]
 *
 * A scripted model server runs in a process of its own. The task has four requests and five calls of tools, which all contestants
 * have with the same names, descriptions and schemas. Own time: from the call to the result, without the time in which the server
 * read and answered. Tokens: of the bodies of the requests, as `estimateTokens` counts them. The turns on long histories alternate
 * with `streamText` of the AI SDK, which sends the same messages and tools. Each history is larger than the token budget. The goal is
 * about the work of the executor; SQLite also waits until the disk has the turn. The last table has the tokens of a run that is longer
 * than the window of its model.
 */
import { parseArgs } from 'node:util';
import { median } from '../lib/statistics.ts';
import { aiSdk, cairn, langGraph } from './contestants.ts';
import { measureBare, measureFull } from './long-history.ts';
import type { OwnTime } from './long-history.ts';
import { startModel } from './model-process.ts';
import type { Measured } from './server.ts';
import { check, Project, script } from './task.ts';
import { measureWindow } from './window.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const rounds = Number(values.rounds);
const WARM_UP = 20;
const GOAL_MS = 3;
const GOAL_LENGTH = 2000;
const LENGTHS = [1000, 2000, 8000];
const WINDOW_STEPS = 300;
const WINDOW_RATIO = 2.5;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function task(): Promise<void> {
  const server = await startModel(script);
  const contestants = [cairn(server), aiSdk(server), await langGraph(server)];
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
  print(
    `\n| ${title} | messages sent | own time of a turn | of streamText | difference | difference in processor time |`,
  );
  print('| --- | --- | --- | --- | --- | --- |');
  for (const { messages, sent, cairnMs, sdkMs, differenceMs, cpuDifferenceMs } of all) {
    const figures = [cairnMs, sdkMs, differenceMs, cpuDifferenceMs].map((ms) => `${ms.toFixed(2)} ms`);
    print(`| ${messages} messages | ${[sent, ...figures].join(' | ')} |`);
  }
}

async function turns(): Promise<void> {
  const server = await startModel([{ text: 'All is well, go on.' }]);
  const setups: readonly [title: string, measure: (length: number) => Promise<OwnTime>, hasGoal: boolean][] = [
    ['no tools', (length) => measureBare(server, length, rounds), true],
    ['all tools, memory, workspace', (length) => measureFull(server, false, length, rounds), true],
    ['the same, histories in SQLite', (length) => measureFull(server, true, length, rounds), false],
  ];
  for (const [title, measure, hasGoal] of setups) {
    const times: OwnTime[] = [];
    for (const length of LENGTHS) times.push(await measure(length));
    printTimes(title, times);
    const goal = times.find(({ messages }) => messages === GOAL_LENGTH);
    if (goal && hasGoal) {
      print(`\nGoal ${GOAL_MS} ms at ${GOAL_LENGTH} messages: ${goal.differenceMs <= GOAL_MS ? 'met' : 'MISSED'}`);
    }
  }
  server.close();
}

async function window(): Promise<void> {
  const { requests, largestTokens, newTokens, uncachedTokens } = await measureWindow(WINDOW_STEPS);
  const ratio = uncachedTokens / newTokens;
  print(
    '\n| steps of 4 KB in a window of 128,000 tokens | requests | largest request | new tokens | tokens outside a cached prefix |',
  );
  print('| --- | --- | --- | --- | --- |');
  print(
    `| ${WINDOW_STEPS} | ${requests} | ${largestTokens} | ${newTokens} | ${uncachedTokens} (${ratio.toFixed(2)}x) |`,
  );
  print(`\nGoal ${WINDOW_RATIO}x: ${ratio <= WINDOW_RATIO ? 'met' : 'MISSED'}`);
}

await task();
await turns();
await window();
