import type { WorkflowRecord } from '@cairn/memory';
import { truncateLine } from '@cairn/tool/prompt';
import { z } from 'zod';
import type { Derivations } from './derived.ts';
import type { CallRecord } from './types.ts';

/** What the loop keeps in the record of a workflow, for the runner that continues it. */
export interface LoopState {
  /** The merged streams that the workflow runs in. Absent for a plain stream. */
  readonly merge?: { readonly main: string; readonly secondary: readonly string[] } | undefined;
  readonly user?: string | undefined;
  /** What the program that began it needs to open its streams again. JSON. */
  readonly settings?: unknown;
  readonly iterations: number;
  /** Whether a person answered: the step goes on, and does not begin again. */
  readonly isContinued?: boolean | undefined;
  /** How often each step failed or stayed incomplete, by its id. */
  readonly tries: Readonly<Record<string, number>>;
  /** How often the workflow was ended, which makes the id of each answer unique. */
  readonly answers: number;
  /** The result of the last step that has one: the answer for the user. */
  readonly answer?: string | undefined;
  readonly calls: readonly CallRecord[];
  readonly callCount: number;
  /** The steps that were added because an earlier one was left unfinished. Absent for none. */
  readonly derived?: Derivations | undefined;
}

const callSchema = z.looseObject({
  id: z.string(),
  todoId: z.string(),
  name: z.string(),
  input: z.unknown(),
  status: z.enum(['approval', 'asked', 'running', 'done', 'failed', 'unknown', 'refused']),
  output: z.string().optional(),
  isEdited: z.literal(true).optional(),
});

const derivationSchema = z.looseObject({
  content: z.string(),
  from: z.string(),
  calls: z.int().min(0),
  question: z.string().optional(),
  unfinished: z.array(z.string()),
});

const stateSchema = z.looseObject({
  merge: z.object({ main: z.string(), secondary: z.array(z.string()) }).optional(),
  user: z.string().optional(),
  settings: z.unknown().optional(),
  iterations: z.int().min(0),
  isContinued: z.boolean().optional(),
  tries: z.record(z.string(), z.int().min(0)),
  answers: z.int().min(0),
  answer: z.string().optional(),
  calls: z.array(callSchema),
  callCount: z.int().min(0),
  derived: z.record(z.string(), derivationSchema).optional(),
});

export const NEW_STATE: LoopState = { iterations: 0, tries: {}, answers: 0, calls: [], callCount: 0 };

/** Returns the state of the loop; `undefined` when the record has one of another program. */
export function stateOf({ state }: Pick<WorkflowRecord, 'state'>): LoopState | undefined {
  if (state === undefined) return NEW_STATE;
  const parsed = stateSchema.safeParse(state);
  // The schema leaves out no field, also none of a newer version.
  return parsed.success ? (parsed.data as LoopState) : undefined;
}

export function isPending({ status }: CallRecord): boolean {
  return status === 'approval' || status === 'asked';
}

/** The JSON of all calls, in UTF-16 code units. The record of a workflow has at most 1 MiB by default. */
const MAX_CHARACTERS = 200_000;
const SHORT = 200;

export function shortened(call: CallRecord): CallRecord {
  const { output, input } = call;
  const json = JSON.stringify(input) ?? '';
  return {
    ...call,
    input: json.length > SHORT ? truncateLine(json, SHORT) : input,
    ...(output !== undefined && { output: truncateLine(output, SHORT) }),
  };
}

/** Shortens the outputs and the arguments of the oldest ended calls, until the calls fit into the record. */
export function fitCalls(calls: readonly CallRecord[]): CallRecord[] {
  const fitted = [...calls];
  let characters = JSON.stringify(calls).length;
  for (const [index, call] of calls.entries()) {
    if (characters <= MAX_CHARACTERS) break;
    if (isPending(call) || call.status === 'running') continue;
    const short = shortened(call);
    const saved = JSON.stringify(call).length - JSON.stringify(short).length;
    // A call that was shortened before is short enough.
    if (saved < SHORT) continue;
    characters -= saved;
    fitted[index] = short;
  }
  return fitted;
}
