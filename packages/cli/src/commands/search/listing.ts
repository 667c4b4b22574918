import type { GlobMatch, StopReason } from '@cairn/natives';
import { writeAnswer, type MatchesDocument } from '../../terminal/answer.ts';
import { exitCodeOf } from '../../terminal/exit.ts';
import type { Session } from '../../terminal/session.ts';
import { listingNotices, nothingFoundNotice } from './notices.ts';
import type { SearchFlags } from './options.ts';

/** The fields that the results of find and glob share. */
interface Listing {
  readonly matches: readonly Pick<GlobMatch, 'lossyPath'>[];
  readonly totalMatches: number;
  readonly complete: boolean;
  readonly stopReason?: StopReason;
  readonly unreadable?: number;
  readonly hint?: string;
  readonly unreadablePaths?: readonly string[];
}

function documentOf({
  matches,
  totalMatches,
  complete,
  stopReason,
  unreadable = 0,
  unreadablePaths,
  hint,
}: Listing): MatchesDocument {
  const isWhole = complete && unreadable === 0 && matches.length === totalMatches;
  const reason = stopReason ?? (matches.length < totalMatches ? 'limit' : undefined);
  return {
    matches,
    shown: matches.length,
    totalMatches,
    complete: isWhole,
    ...(reason !== undefined && { stopReason: reason }),
    ...(unreadable > 0 && { unreadable }),
    ...(unreadablePaths && { unreadablePaths }),
    ...(hint !== undefined && { hint }),
  };
}

function noticesOf(listing: Listing, flags: SearchFlags, session: Session): string[] {
  const shown = listing.matches.length;
  const lossyPaths = listing.matches.filter(({ lossyPath }) => lossyPath === true).length;
  const notices = listingNotices({ ...listing, shown, lossyPaths });
  const isForPerson = session.err.isTerminal && flags.json !== true;
  if (shown > 0 || notices.length > 0 || !isForPerson) return notices;
  return [nothingFoundNotice(flags.hidden ?? false, flags.ignore)];
}

/** Prints the result of find or glob and returns the exit status. */
export async function printListing(
  session: Session,
  { listing, lines }: { readonly listing: Listing; readonly lines: Iterable<string> },
  flags: SearchFlags,
): Promise<number> {
  await writeAnswer(session, flags, {
    lines,
    document: documentOf(listing),
    notices: () => noticesOf(listing, flags, session),
  });
  const { matches, stopReason, unreadable = 0 } = listing;
  return exitCodeOf({ shown: matches.length, stopReason, unreadable });
}
