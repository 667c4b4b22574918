import type { Draft, ListRule } from '@cairn/memory/testing';

/** Keeps all records. */
export const forever: ListRule = {
  maxRecords: Infinity,
  maxTemporaryRecords: Infinity,
  lifetimeMs: Infinity,
  temporaryLifetimeMs: Infinity,
};

export const draft = (text: string): Draft => ({ before: `{"text":${JSON.stringify(text)},"time":`, after: '}' });
