import type { McpService } from '@cairn/mcp-server';
import { completable, fromJsonSchema, McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import type {
  CallToolResult,
  ContentBlock,
  ElicitRequestFormParams,
  JSONObject,
  ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=';

const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' };

function text(value: string): ContentBlock {
  return { type: 'text', text: value };
}

function embedded(uri: string, mimeType: string, value: string): ContentBlock {
  return { type: 'resource', resource: { uri, mimeType, text: value } };
}

type Run = (input: Readonly<Record<string, unknown>>, context: ServerContext) => Promise<ContentBlock[]>;

/** Returns a tool that asks the user with a form. */
function asking(properties: JSONObject, required: string[] = []): Run {
  return async (_, { mcpReq }) => {
    // The suite needs forms that the SDK's type does not know.
    const requestedSchema = { type: 'object', properties, required } as ElicitRequestFormParams['requestedSchema'];
    const { action, content } = await mcpReq.elicitInput({ message: 'Please answer', requestedSchema });
    return [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`)];
  };
}

const options = ['option1', 'option2', 'option3'];
const titled = [
  { const: 'value1', title: 'First Option' },
  { const: 'value2', title: 'Second Option' },
  { const: 'value3', title: 'Third Option' },
];

/** The tools that the suite calls, as its scenarios describe them. */
const tools: Readonly<Record<string, Run>> = {
  test_simple_text: async () => [text('This is a simple text response for testing.')],
  test_image_content: async () => [image],
  test_audio_content: async () => [{ type: 'audio', data: wav, mimeType: 'audio/wav' }],
  test_embedded_resource: async () => [
    embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: async () => [
    text('Multiple content types test:'),
    image,
    embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
  test_tool_with_logging: async (_, { mcpReq }) => {
    for (const message of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.log('info', message);
    }
    return [text('logged')];
  },
  test_error_handling: async () => {
    throw new Error('This tool intentionally returns an error for testing');
  },
  test_tool_with_progress: async (_, { mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken ?? 0;
    for (const progress of [0, 50, 100]) {
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
    }
    return [text('done')];
  },
  test_sampling: async ({ prompt }, { mcpReq }) => {
    const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: String(prompt) } }];
    const { content } = await mcpReq.requestSampling({ messages, maxTokens: 100 });
    return [text(`LLM response: ${JSON.stringify(content)}`)];
  },
  test_elicitation: asking(
    {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    ['username', 'email'],
  ),
  test_elicitation_sep1034_defaults: asking({
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  test_elicitation_sep1330_enums: asking({
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option One', 'Option Two', 'Option Three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  }),
  json_schema_2020_12_tool: async () => [text('valid')],
};

const schemas: Readonly<Record<string, JSONObject>> = {
  test_sampling: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
  test_elicitation: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
  json_schema_2020_12_tool: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  },
};

function addTools(server: McpServer): void {
  for (const [name, run] of Object.entries(tools)) {
    const inputSchema = fromJsonSchema<Record<string, unknown>>(schemas[name] ?? { type: 'object', properties: {} });
    server.registerTool(name, { description: name, inputSchema }, async (input, context): Promise<CallToolResult> => ({
      content: await run(input, context),
    }));
  }
}

function addResources(server: McpServer): void {
  const described = (description: string): { description: string; mimeType: string } => ({
    description,
    mimeType: 'text/plain',
  });
  server.registerResource('text', 'test://static-text', described('a text'), async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }));
  server.registerResource('binary', 'test://static-binary', described('an image'), async ({ href }) => ({
    contents: [{ uri: href, mimeType: 'image/png', blob: png }],
  }));
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  server.registerResource('template', template, described('a template'), async ({ href }, { id }) => ({
    contents: [
      {
        uri: href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }));
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const) {
    server.server.setRequestHandler(method, () => ({}));
  }
}

function addPrompts(server: McpServer): void {
  const messagesOf = (...content: ContentBlock[]): { messages: { role: 'user'; content: ContentBlock }[] } => ({
    messages: content.map((one) => ({ role: 'user', content: one })),
  });
  server.registerPrompt('test_simple_prompt', { description: 'simple' }, async () =>
    messagesOf(text('This is a simple prompt for testing.')),
  );
  const argument = completable(z.string(), (value) =>
    ['paris', 'park', 'party'].filter((one) => one.startsWith(value)),
  );
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'with arguments', argsSchema: z.object({ arg1: argument, arg2: z.string() }) },
    async ({ arg1, arg2 }) => messagesOf(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'with a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    async ({ resourceUri }) =>
      messagesOf(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  );
  server.registerPrompt('test_prompt_with_image', { description: 'with an image' }, async () =>
    messagesOf(image, text('Please analyze the image above.')),
  );
}

/** Makes a service with the fixtures of the conformance suite, for our transports. */
export function createConformanceService(): McpService {
  const createServer = (): McpServer => {
    const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} };
    const server = new McpServer({ name: 'conformance', version: '1' }, { capabilities });
    addTools(server);
    addResources(server);
    addPrompts(server);
    return server;
  };
  return { open: async () => ({ createServer, close: async () => undefined }), close: async () => undefined };
}
