/** Answers of servers that speak the chat completions of the OpenAI API almost, in the form that the provider reads. */
import { isObject, type Fields } from '@cairn/tool';
import { readableUsage } from './usage.ts';

/** Returns the calls of a message or a delta. Some servers write the arguments as an object. */
function callsOf(calls: unknown): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call: unknown) => {
    if (!isObject(call) || !isObject(call['function'])) return call;
    const { arguments: input } = call['function'];
    if (!isObject(input)) return call;
    return { ...call, function: { ...call['function'], arguments: JSON.stringify(input) } };
  });
}

function messageOf(message: unknown): unknown {
  return isObject(message) && message['tool_calls'] !== undefined
    ? { ...message, tool_calls: callsOf(message['tool_calls']) }
    : message;
}

/** Returns a choice. An empty reason counts as missing. */
function choiceOf(choice: unknown): unknown {
  if (!isObject(choice)) return choice;
  const { finish_reason: reason, message, delta } = choice;
  return {
    ...choice,
    finish_reason: typeof reason === 'string' && reason !== '' ? reason : null,
    ...(message !== undefined && { message: messageOf(message) }),
    ...(delta !== undefined && { delta: messageOf(delta) }),
  };
}

/** Returns an answer, or a part of one, as the provider reads it: odd counts of tokens do not fail it. */
export function readableAnswer(answer: Fields): Fields {
  const { error, usage, choices, ...rest } = answer;
  if (typeof error === 'string') return { ...rest, error: { message: error } };
  if (error !== undefined && error !== null) return answer;
  const counts = readableUsage(usage);
  return {
    ...rest,
    ...(Array.isArray(choices) && { choices: choices.map(choiceOf) }),
    // Some servers leave the list out where only the usage is.
    ...((choices === undefined || choices === null) && usage !== undefined && { choices: [] }),
    ...(counts !== undefined && { usage: counts }),
  };
}

export function choiceIn({ choices }: Fields): Fields | undefined {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isObject(first) ? first : undefined;
}

export function finishOf(hasCalls: boolean): 'stop' | 'tool_calls' {
  return hasCalls ? 'tool_calls' : 'stop';
}

/** Returns a whole answer as the only part of a stream; `undefined` for JSON that is not an answer. */
export function asStreamPart(answer: Fields): Fields | undefined {
  if (isObject(answer['error'])) return answer;
  const message = choiceIn(answer)?.['message'];
  if (!isObject(message)) return undefined;
  const { tool_calls: calls } = message;
  const indexed = Array.isArray(calls)
    ? calls.map((call: unknown, index) => (isObject(call) ? { ...call, index } : call))
    : undefined;
  const reason = choiceIn(answer)?.['finish_reason'] ?? finishOf(indexed !== undefined && indexed.length > 0);
  const delta = { ...message, ...(calls !== undefined && { tool_calls: indexed }) };
  return { ...answer, choices: [{ index: 0, delta, finish_reason: reason }] };
}
