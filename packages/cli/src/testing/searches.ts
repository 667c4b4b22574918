import type { GrepResult } from '@cairn/natives';

export const noPaths: { matches: never[]; totalMatches: number; complete: boolean } = {
  matches: [],
  totalMatches: 0,
  complete: true,
};

export const noLines: Omit<GrepResult, 'matches'> = {
  totalMatches: 0,
  complete: true,
  filesWithMatches: 0,
  filesSearched: 0,
  skipped: { oversized: 0, binary: 0, unreadable: 0 },
  engine: 'regex',
};
