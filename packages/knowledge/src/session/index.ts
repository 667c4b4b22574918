export { knowledgeDirectory } from '../directory.ts';
export { PAYLOAD_LIMITS } from '../payload/payload.ts';
export type { PayloadHost, PayloadLimit } from '../payload/payload.ts';
export { sessionPayload } from './session-payload.ts';
export type { SessionPayloadOptions } from './session-payload.ts';
