export { AgentError } from './errors.ts';
export type { AgentErrorCode, AgentErrorFacts } from './errors.ts';
export type { AgentEvent, AgentResult, AgentRun, FinishReason, Usage } from './run/agent-run.ts';
export { openAgentTools } from './tools/open-agent-tools.ts';
export type { AgentTools, AgentToolsOptions } from './tools/open-agent-tools.ts';
export type { AgentTool, AgentToolCall } from './tools/agent-tool.ts';
export type { ToolGrant } from './tools/grant.ts';
export { toolNameOf } from './tools/tool-names.ts';
