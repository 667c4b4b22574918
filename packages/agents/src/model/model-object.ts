import type { wrapLanguageModel } from 'ai';

/** A model with the calls that the AI SDK makes. */
export type ModelObject = ReturnType<typeof wrapLanguageModel>;
export type CallOptions = Parameters<ModelObject['doStream']>[0];
export type StreamResult = Awaited<ReturnType<ModelObject['doStream']>>;
export type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
