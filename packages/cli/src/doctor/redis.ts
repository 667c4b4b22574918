import type { createClient } from '@redis/client';
import semver from 'semver';
import { fail, ok, reasonOf, skip, warn, type Check, type CheckResult } from './check.ts';

/** The variable with the address: `redis://[user[:password]@]host[:port][/database]`, or `rediss://` for TLS. */
const VARIABLE = 'CAIRN_REDIS_URL';

/** Memory uses commands of this version. */
const MIN_VERSION = '6.2.0';
const TIMEOUT_MS = 2000;

interface ServerFacts {
  readonly version: string;
  readonly policy: string | undefined;
  readonly hasAppendOnlyFile: boolean | undefined;
  /** When it saves snapshots: empty for never; `undefined` if the user has no permission to read it. */
  readonly save: string | undefined;
  /** Whether there are keys of the format that memory wrote before this one, and does not read. */
  readonly hasOldKeys: boolean;
}

/** The keys of the earlier format, and how much of a large database is searched for them. */
const OLD_KEYS = 'cairn:{*';
const SCANS = 10;
const KEYS_PER_SCAN = 10_000;

function isTooOld(version: string): boolean {
  return semver.lt(semver.coerce(version) ?? '0.0.0', MIN_VERSION);
}

async function hasOldKeys(client: Pick<ReturnType<typeof createClient>, 'scan'>): Promise<boolean> {
  let next = '0';
  for (let scans = 0; scans < SCANS; scans += 1) {
    const { cursor, keys } = await client.scan(next, { MATCH: OLD_KEYS, COUNT: KEYS_PER_SCAN });
    if (keys.length > 0) return true;
    if (cursor === '0') return false;
    next = cursor;
  }
  return false;
}

/** Connects, signs in, selects the database and asks; `undefined` if the user has no permission to read the version. */
async function factsOf(url: string, signal: AbortSignal): Promise<ServerFacts | undefined> {
  const { createClient, ErrorReply } = await import('@redis/client');
  const client = createClient({
    url,
    RESP: 2,
    // A user with few permissions may not call CLIENT.
    disableClientInfo: true,
    socket: { reconnectStrategy: false, connectTimeout: TIMEOUT_MS },
  });
  // An answer that is not in Redis' protocol is reported by this event alone; the call itself would never end.
  const broken = new Promise<never>((_, reject) => {
    client.on('error', reject);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const ask = async (): Promise<ServerFacts | undefined> => {
    await client.connect();
    await client.ping();
    const info = await client.info();
    const field = (name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'mu').exec(info)?.[1];
    const [version, appendOnly] = [field('redis_version'), field('aof_enabled')];
    if (version === undefined) return undefined;
    const hasAppendOnlyFile = appendOnly === undefined ? undefined : appendOnly === '1';
    const saved = hasAppendOnlyFile === false ? await client.configGet('save').catch(() => undefined) : undefined;
    const isOld = !isTooOld(version) && (await hasOldKeys(client).catch(() => false));
    return {
      version,
      policy: field('maxmemory_policy'),
      hasAppendOnlyFile,
      save: saved?.['save'],
      hasOldKeys: isOld,
    };
  };
  const answer = ask();
  // Rejected by `destroy` after `broken` has settled the race.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, broken]);
  } catch (error) {
    if (error instanceof ErrorReply && error.message.startsWith('NOPERM')) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}

/** Interprets an error reply. Only the host and the port of the address are shown, because it may hold a password. */
function judgeReply(where: string, message: string): CheckResult {
  const code = message.split(' ', 1)[0] ?? '';
  if (code === 'NOAUTH') {
    return fail(`${where} requires a password`, `add it to ${VARIABLE}: redis://:password@host:port`);
  }
  if (code === 'WRONGPASS' || message === 'ERR invalid password') {
    return fail(`${where} rejects the user or the password`, `correct them in ${VARIABLE}`);
  }
  if (/^ERR (?:AUTH|Client sent AUTH)/u.test(message)) {
    return fail(`${where} has no password, but ${VARIABLE} contains one`, 'remove it, or set one on the server');
  }
  if (code === 'LOADING') return warn(`${where} is loading its data`, 'run cairn doctor again in a moment');
  if (/DB index|invalid DB/iu.test(message)) {
    return fail(`${where} has no such database`, `correct the number at the end of ${VARIABLE}`);
  }
  return fail(`${where} returned an error: ${message}`, 'check the log of the server');
}

function judgeServer(where: string, facts: ServerFacts): CheckResult {
  const { version, policy, hasAppendOnlyFile, save } = facts;
  if (semver.lt(semver.coerce(version) ?? '0.0.0', MIN_VERSION)) {
    return fail(`${where} is Redis ${version}`, `update it: memory needs ${MIN_VERSION} or newer`);
  }
  if (facts.hasOldKeys) {
    return warn(
      `${where} has keys of an earlier format, which memory does not read`,
      "export them with the build of Cairn that wrote them ('cairn memory export'), and import what was exported",
    );
  }
  const problems: string[] = [];
  const settings: string[] = [];
  if (policy !== undefined && policy !== 'noeviction') {
    problems.push(`it removes memories when its memory is full (maxmemory-policy ${policy})`);
    settings.push('maxmemory-policy noeviction');
  }
  if (hasAppendOnlyFile === false) {
    problems.push(
      save === ''
        ? 'it keeps nothing on its disk, so that a restart loses all memories'
        : 'it has no append-only file, so that a crash loses the latest memories',
    );
    settings.push('appendonly yes');
  }
  if (problems.length === 0) return ok(`${where} is Redis ${version}`);
  const found = `${where} is Redis ${version}, and ${problems.join('; ')}`;
  // Redis before 7 starts empty when only its configuration file names an append-only file.
  return warn(found, `run in redis-cli: ${settings.map((one) => `CONFIG SET ${one}`).join('; ')}; CONFIG REWRITE`);
}

function parseAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    return undefined;
  }
  return url.protocol === 'redis:' || url.protocol === 'rediss:' ? url : undefined;
}

export const checkRedis: Check = async ({ env, signal }) => {
  const text = env[VARIABLE];
  if (text === undefined || text === '') return skip(`${VARIABLE} is not set`);
  const url = parseAddress(text);
  if (!url) {
    return fail(
      `${VARIABLE} is not a Redis URL`,
      'use redis://host:port, or rediss:// for TLS; in a password, write % as %25',
    );
  }
  const where = `${url.hostname || '127.0.0.1'}:${url.port || '6379'}`;
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const { ErrorReply } = await import('@redis/client');
  try {
    const facts = await factsOf(text, AbortSignal.any([signal, limit]));
    return facts === undefined ? ok(`${where} answers, but does not return its version`) : judgeServer(where, facts);
  } catch (error) {
    signal.throwIfAborted();
    const fix = `start it, or correct ${VARIABLE}`;
    if (limit.aborted) return fail(`${where} does not answer within ${TIMEOUT_MS / 1000} s`, fix);
    if (error instanceof ErrorReply) return judgeReply(where, error.message);
    const isSystemError = error instanceof Error && ('syscall' in error || error instanceof AggregateError);
    return isSystemError
      ? fail(`cannot connect to ${where}: ${reasonOf(error) || 'no address of the host answers'}`, fix)
      : fail(`${where} is not a Redis: ${reasonOf(error)}`, fix);
  }
};
