import { Server } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import type { McpService } from '../service.ts';
import { Sessions } from './sessions.ts';

interface FakeService extends McpService {
  opened: number;
  closed: number;
}

/** Makes a service that counts its clients, whose servers offer nothing. */
function serviceOf({
  beforeOpen,
  createServer = () => new Server({ name: 'fake', version: '1' }),
}: { readonly beforeOpen?: Promise<void>; readonly createServer?: () => Server } = {}): FakeService {
  const service: FakeService = {
    opened: 0,
    closed: 0,
    open: async () => {
      await beforeOpen;
      service.opened += 1;
      let isOpen = true;
      return {
        createServer,
        close: async () => {
          if (isOpen) service.closed += 1;
          isOpen = false;
        },
      };
    },
    close: async () => undefined,
  };
  return service;
}

const limits = { maxSessions: 2, idleMs: 1000, now: () => 0, onError: () => undefined };

const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };

function initialize(sessions: Sessions): Promise<Response> {
  const body = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
  return sessions.handle({ request, body, onEnd: () => undefined });
}

test('simultaneous clients do not exceed the limit of sessions', async () => {
  const service = serviceOf();
  const sessions = new Sessions(service, limits);
  await Promise.all([initialize(sessions), initialize(sessions)]);
  expect(sessions.size).toBe(2);
  // Both places are taken by unused sessions: each new client replaces one of them.
  const responses = await Promise.all([initialize(sessions), initialize(sessions), initialize(sessions)]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 503]);
  expect(sessions.size).toBe(2);
  expect([service.opened, service.closed]).toEqual([4, 2]);
  await sessions.close();
  expect([sessions.size, service.closed]).toEqual([0, 4]);
});

test('a session that opens while all are closed ends as soon as it is open', async () => {
  let release = (): void => undefined;
  const beforeOpen = new Promise<void>((resolve) => (release = resolve));
  const service = serviceOf({ beforeOpen });
  const sessions = new Sessions(service, limits);
  const response = initialize(sessions);
  await sessions.close();
  release();
  await response;
  expect([sessions.size, service.opened, service.closed]).toEqual([0, 1, 1]);
});

test('a client whose server cannot be made is closed, and its place is free again', async () => {
  const service = serviceOf({
    createServer: () => {
      throw new Error('no server');
    },
  });
  const sessions = new Sessions(service, { ...limits, maxSessions: 1 });
  await expect(initialize(sessions)).rejects.toThrow('no server');
  await expect(initialize(sessions)).rejects.toThrow('no server');
  expect([sessions.size, service.opened, service.closed]).toEqual([0, 2, 2]);
});

test('a sweep ends the sessions that were unused for the idle time', async () => {
  let nowMs = 0;
  const service = serviceOf();
  const sessions = new Sessions(service, { ...limits, now: () => nowMs });
  await initialize(sessions);
  nowMs = 600;
  await initialize(sessions);
  nowMs = 1000;
  sessions.sweep();
  expect(sessions.size).toBe(1);
  nowMs = 1600;
  sessions.sweep();
  expect(sessions.size).toBe(0);
});
