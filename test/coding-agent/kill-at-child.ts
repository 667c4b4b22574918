/**
 * Changes files and kills itself before one of the operations on the file system, or in the middle of it when it writes:
 * `node kill-at-child.ts <root> <state directory> <call> <moment>`. Ends with 0 when there is no such moment.
 */
import { createCodingTools, nodeFileOperations } from '@cairn/coding-agent';
import { textOf } from '@cairn/tool';
import type { FileOperations, OpenFile } from '@cairn/coding-agent';
import { deadlyCalls } from './kill-at-calls.ts';

const [root = '', stateDirectory = '', name = '', moment = ''] = process.argv.slice(2);
let operations = 0;

function isLast(): boolean {
  return operations++ === Number(moment);
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('SIGKILL was survived');
}

type Run = (...values: unknown[]) => unknown;

/** Every function of an object, with a death before the one at the moment. */
function mortal(object: object): object {
  const entries = Object.entries(object) as [string, Run][];
  return Object.fromEntries(
    entries.map(([key, run]) => [key, (...values: unknown[]) => (isLast() ? die() : run(...values))]),
  );
}

function mortalFile(file: OpenFile): OpenFile {
  const write = async (bytes: Uint8Array, position: number): Promise<void> => {
    if (!isLast()) return file.write(bytes, position);
    await file.write(bytes.subarray(0, bytes.length / 2), position);
    return die();
  };
  return { ...(mortal(file) as OpenFile), write };
}

const watched: FileOperations = {
  ...(mortal(nodeFileOperations) as FileOperations),
  open: async (path, mode, permissions) => {
    if (isLast()) die();
    return mortalFile(await nodeFileOperations.open(path, mode, permissions));
  },
};

const tools = createCodingTools({ root, stateDirectory, operations: watched, policy: { staleGuard: 'off' } });
const answer = await deadlyCalls[name]?.(tools);
if (answer?.isError !== false) throw new Error(answer ? textOf(answer) : `there is no call ${name}`);
