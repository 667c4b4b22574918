export { AgentError } from './errors.ts';
export type { AgentErrorCode, AgentErrorFacts } from './errors.ts';
export type { AgentEvent, AgentResult, AgentRun, FinishReason, Usage } from './run/agent-run.ts';
