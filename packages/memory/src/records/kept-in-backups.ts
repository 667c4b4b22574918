import type { CallOptions, MemoryBackend } from './backend.ts';

/** How long backups of a store keep text that was forgotten. */
export interface KeptInBackups {
  /** `until 2026-12-06`: the first use of the store from that day on removes the backups with the text. Absent when there are none. */
  readonly backups?: string;
}

export async function keptInBackups(backend: MemoryBackend, { signal }: CallOptions): Promise<KeptInBackups> {
  const untilMs = await backend.keptUntil?.({ signal });
  return untilMs === undefined ? {} : { backups: `until ${new Date(untilMs).toISOString().slice(0, 10)}` };
}
