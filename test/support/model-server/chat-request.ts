import { z } from 'zod';

type MessageContent =
  | string
  | readonly (
      | { readonly type: 'text'; readonly text: string }
      | {
          readonly type: 'image_url';
          readonly image_url: { readonly url: string; readonly detail?: string | undefined };
        }
    )[];

interface MessageToolCall {
  readonly id: string;
  readonly type: 'function';
  /** The arguments are the text that the model wrote. */
  readonly function: { readonly name: string; readonly arguments: string };
}

export type ChatMessage =
  | { readonly role: 'system' | 'developer' | 'user'; readonly content: MessageContent }
  | {
      readonly role: 'assistant';
      readonly content?: MessageContent | null | undefined;
      readonly tool_calls?: readonly MessageToolCall[] | undefined;
    }
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: MessageContent };

/** A request for a chat completion. The parameters that change what a real model writes are only checked. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly tools?:
    | readonly {
        readonly type: 'function';
        readonly function: {
          readonly name: string;
          readonly description?: string | undefined;
          readonly parameters?: Readonly<Record<string, unknown>> | undefined;
        };
      }[]
    | undefined;
  readonly tool_choice?: 'none' | 'auto' | 'required' | { readonly function: { readonly name: string } } | undefined;
  readonly stream?: boolean | undefined;
  readonly stream_options?: { readonly include_usage?: boolean | undefined } | undefined;
  readonly response_format?: { readonly type: 'text' | 'json_object' | 'json_schema' } | undefined;
}

const content = z.union([
  z.string(),
  z
    .array(
      z.union([
        z.strictObject({ type: z.literal('text'), text: z.string() }),
        z.strictObject({
          type: z.literal('image_url'),
          image_url: z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
        }),
      ]),
    )
    .min(1),
]);
const functionName = z.string().regex(/^[\w-]{1,64}$/u);
const name = z.string().optional();
const toolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: functionName, arguments: z.string() }),
});

/** What the server knows. Everything else is rejected. */
const chatRequest: z.ZodType<ChatRequest> = z.strictObject({
  model: z.string().min(1),
  messages: z
    .array(
      z.discriminatedUnion('role', [
        z.strictObject({ role: z.enum(['system', 'developer', 'user']), content, name }),
        z.strictObject({
          role: z.literal('assistant'),
          content: content.nullish(),
          // Servers that send it accept it back.
          reasoning_content: z.string().optional(),
          name,
          tool_calls: z.array(toolCall).min(1).optional(),
        }),
        z.strictObject({ role: z.literal('tool'), tool_call_id: z.string(), content }),
      ]),
    )
    .min(1),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: functionName,
          description: z.string().optional(),
          parameters: z.record(z.string(), z.unknown()).optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: functionName }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).optional(),
  response_format: z.looseObject({ type: z.enum(['text', 'json_object', 'json_schema']) }).optional(),
  max_tokens: z.int().positive().optional(),
  max_completion_tokens: z.int().positive().optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  frequency_penalty: z.number().optional(),
  presence_penalty: z.number().optional(),
  reasoning_effort: z.string().optional(),
  seed: z.int().optional(),
  stop: z.union([z.string(), z.array(z.string())]).optional(),
  user: z.string().optional(),
});

/** An error that the API returns instead of a completion. */
export interface ModelRefusal {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly code?: string;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Refused extends Error {
  readonly refusal: ModelRefusal;
  constructor(refusal: ModelRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

export function refuse(status: number, message: string, more: Partial<ModelRefusal> = {}): never {
  throw new Refused({ status, message, ...more });
}

/** Finds a call of a tool without its result, and a result without its call. */
function checkTranscript(messages: readonly ChatMessage[]): void {
  let open = new Set<string>();
  for (const [index, message] of [...messages, undefined].entries()) {
    const param = `messages[${index}]`;
    if (message?.role === 'tool') {
      if (!open.delete(message.tool_call_id)) {
        refuse(400, `the tool message has no open tool call "${message.tool_call_id}"`, { param });
      }
      continue;
    }
    if (open.size > 0) refuse(400, `no tool message follows for the tool calls ${[...open].join(', ')}`, { param });
    if (message?.role === 'assistant') open = new Set(message.tool_calls?.map(({ id }) => id));
  }
}

/** Reads the body of a request. Throws `Refused` for one that the API rejects, or that the server does not know. */
export function parseChat(body: Buffer): ChatRequest {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    refuse(400, 'the body is not valid JSON in UTF-8');
  }
  const parsed = chatRequest.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys : [];
    const param = [...(issue?.path ?? []), ...unknown.slice(0, 1)].join('.');
    const code = unknown.length > 0 ? 'unknown_parameter' : 'invalid_value';
    refuse(400, `${param}: ${issue?.message}`, { param, code });
  }
  const names = parsed.data.tools?.map((tool) => tool.function.name) ?? [];
  const twice = names.find((one, index) => names.indexOf(one) < index);
  if (twice !== undefined) refuse(400, `two tools are named "${twice}"`, { param: 'tools' });
  checkTranscript(parsed.data.messages);
  if (parsed.data.response_format?.type === 'json_object' && !/json/iu.test(JSON.stringify(parsed.data.messages))) {
    refuse(400, "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'", {
      param: 'messages',
    });
  }
  return parsed.data;
}
