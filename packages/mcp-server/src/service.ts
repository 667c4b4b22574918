import type { McpServerFactory } from '@modelcontextprotocol/server';
import type { ResourceNotices } from './resource-notices.ts';

/** One client: a process that speaks over stdio, a session over HTTP, or all clients over HTTP without a session. */
export interface ServedClient {
  /** Makes the SDK server of one connection or request, for its era of the protocol. */
  readonly createServer: McpServerFactory;
  /** Changes of the client's resources. Absent when none are announced. */
  readonly notices?: ResourceNotices | undefined;
  /** Ends the session of the client. Further calls do nothing. */
  close(): Promise<void>;
}

/** The interface between a server and its transports: `serveStdio` and `serveHttp` accept one. */
export interface McpService {
  /** Starts the session of one client. Clients share no session state: a file that one has read is unread for another. */
  open(): Promise<ServedClient>;
  /** Releases what the tool sets share. Call it after the last client has closed. Further calls do nothing. */
  close(): Promise<void>;
}
