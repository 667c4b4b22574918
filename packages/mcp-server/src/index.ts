export type { Fact, Facts } from './answer/answer.ts';
export type { StructuredWhen } from './answer/answer.ts';
export { McpServerError, type McpServerErrorCode } from './errors.ts';
export { createToken } from './http/guard.ts';
export { wideRootNotice } from './roots.ts';
export { createMcpServer, type McpServer, type McpServerOptions } from './server.ts';
export type { McpService, ServedClient } from './service.ts';
export { serveStdio, type ServeStdioOptions, type StdioConnection } from './stdio/serve.ts';
