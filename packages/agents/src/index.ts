export { createAgents } from './create-agents.ts';
export { createApprovals } from './approvals/approvals.ts';
export type {
  ApprovalAnswer,
  ApprovalCall,
  ApprovalOutcome,
  ApprovalRequest,
  Approvals,
  ApprovalsOptions,
  AskPerson,
} from './approvals/approvals.ts';
export { openUserRules, trustHash } from './approvals/user-rules.ts';
export type { UserRules, UserRulesOptions } from './approvals/user-rules.ts';
export { isFromProject, rulesOfMode } from './approvals/definition-rules.ts';
export type { CallAction, Decision } from './approvals/decide.ts';
export type { PreviewedChange } from './approvals/preview.ts';
export type { Rule, RuleLists, RuleSource, RuleVerdict } from './approvals/rule.ts';
export { AgentError } from './errors.ts';
export type { AgentErrorCode } from './errors.ts';
export { checkModel } from './model/check-model.ts';
export type { CheckedModel, CheckModelOptions } from './model/check-model.ts';
export type { GuardOptions } from './model/guard-model.ts';
export { mapModelError } from './model/model-failure.ts';
export type { ModelSubject } from './model/model-subject.ts';
export type { ModelRetry, RetryOptions } from './model/guard-model.ts';
export { resolveModel } from './model/resolve-model.ts';
export type { GuardedModel, ModelOptions, ResolvedModel } from './model/resolve-model.ts';
export { SYSTEM_PARTS } from './prompt/system-prompt.ts';
export type { SystemPart, SystemPartName } from './prompt/system-prompt.ts';
export type {
  AgentEvent,
  AgentResult,
  AgentRun,
  FinishReason,
  OwnEvent,
  ToolRunContext,
  Usage,
} from './run/agent-run.ts';
export type {
  Agents,
  AgentsOptions,
  PreparedPart,
  PreparedRequest,
  PreparedShow,
  PreparedTool,
  RequestOptions,
  RequestSize,
  RunOptions,
} from './run/agents.ts';
export { openAgentTools } from './tools/open-agent-tools.ts';
export type { AgentTools, AgentToolsOptions } from './tools/open-agent-tools.ts';
export type { AgentTool, AgentToolCall } from './tools/agent-tool.ts';
export type { ToolGrant } from './tools/grant.ts';
export type { HiddenBy } from './tools/shown-parts.ts';
export { cairnTools, toolNameOf } from './tool-names.ts';
export { agentTool } from './create-agents.ts';
export type { AgentToolOptions } from './create-agents.ts';
export type { RunAgentDetails, RunAgentInput } from './delegation/run-tool.ts';
export { createWorkflows } from './workflow/workflows.ts';
export type {
  AgentWorkflows,
  ProcessEvent,
  ProcessOptions,
  ResumeOptions,
  WorkflowEvent,
  WorkflowResponse,
  WorkflowsOptions,
  WorkflowStream,
  WorkOptions,
} from './workflow/workflows-api.ts';
export type { CallRecord } from './workflow/types.ts';
export { loadFunctions } from './workflow/functions/load-functions.ts';
export { toStreamFunctions } from './workflow/functions/definition.ts';
export type {
  FunctionDefinition,
  FunctionDefinitionContext,
  FunctionParameters,
} from './workflow/functions/definition.ts';
export { createAgentsToolSet } from './tool-set/agents-tool-set.ts';
export type { AgentsToolSetOptions, ListAgentsDetails, ListAgentsInput } from './tool-set/agents-tool-set.ts';
