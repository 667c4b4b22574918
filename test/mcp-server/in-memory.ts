import { serveStdio } from '@cairn/mcp-server';
import type { McpServer } from '@cairn/mcp-server';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';
import type { Client, Transport } from '@modelcontextprotocol/client';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createClient } from './support.ts';
import type { Way } from './support.ts';

/** Makes the client's end of two streams. */
function clientTransport(input: PassThrough, output: PassThrough): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    start: async () => {
      output.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let message = buffer.readMessage(); message !== null; message = buffer.readMessage()) {
          transport.onmessage?.(message);
        }
      });
    },
    send: async (message) => void input.write(serializeMessage(message)),
    close: async () => {
      input.end();
      transport.onclose?.();
    },
  };
  return transport;
}

/** Connects the official client to a server in this process. */
export async function connectInMemory(server: McpServer, era: Way['era'] = 'legacy'): Promise<Client> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connection = await serveStdio(server, { input, output });
  const client = createClient(era);
  onTestFinished(async () => {
    await client.close();
    await connection.ended;
    await server.close();
  });
  await client.connect(clientTransport(input, output));
  return client;
}
