import { z } from 'zod';

export interface TodoList {
  readonly todos: readonly string[];
}

/** The input of the tool that decides for a workflow. Its absence is the decision for a simple answer. */
export const decisionSchema: z.ZodType<TodoList> = z.strictObject({
  todos: z
    .array(z.string().trim().min(1))
    .min(1)
    .describe('The steps in their order, each one sentence. A step that asks the user is a step.'),
});

/** The report that ends a step. `None` and `无` stand for nothing. */
export interface StepReport {
  readonly completion: number;
  readonly next_step?: string | null | undefined;
  readonly note?: string | null | undefined;
  readonly result?: string | null | undefined;
}

export const stepSchema: z.ZodType<StepReport> = z.strictObject({
  completion: z.number().min(0).max(1).describe('How far the current task is, from 0 to 1. 0.8 or more is done.'),
  next_step: z.string().nullish().describe('What to do next, when more steps are needed. Otherwise omit it.'),
  note: z.string().nullish().describe('What later steps must know. Otherwise omit it.'),
  result: z.string().nullish().describe('What the step found or made, for the user. Otherwise omit it.'),
});
