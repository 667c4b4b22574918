import semver from 'semver';
import { fail, ok, reasonOf, skip, warn, type Check, type CheckResult } from './check.ts';
import { NoRedis, RedisRefusal, withRedis, type Ask } from './resp.ts';

/** The variable with the address: `redis://[user[:password]@]host[:port][/database]`, or `rediss://` for TLS. */
const redisVariable = 'CAIRN_REDIS_URL';

const OLDEST = '6.2.0';
const TIMEOUT_MS = 2000;

/** Signs in, chooses the database and asks for the version, which it may not be allowed to know. */
async function greet(ask: Ask, url: URL): Promise<string | undefined> {
  const [user, password] = [url.username, url.password].map(decodeURIComponent);
  if (password !== undefined && password !== '') await ask('AUTH', ...(user ? [user] : []), password);
  const database = url.pathname.replace(/^\//u, '');
  if (database !== '') await ask('SELECT', database);
  await ask('PING');
  try {
    return /^redis_version:(\S+)/mu.exec(await ask('INFO', 'server'))?.[1];
  } catch (error) {
    if (error instanceof RedisRefusal && error.code === 'NOPERM') return undefined;
    throw error;
  }
}

/** What a refusal means. Nothing of the address but host and port is ever shown: it may hold a password. */
function judgeRefusal(where: string, { code, message }: RedisRefusal): CheckResult {
  if (code === 'NOAUTH') {
    return fail(`${where} asks for a password`, `put it into ${redisVariable}: redis://:password@host:port`);
  }
  if (code === 'WRONGPASS' || message === 'ERR invalid password') {
    return fail(`${where} refuses the user or the password`, `correct them in ${redisVariable}`);
  }
  if (/^ERR (?:AUTH|Client sent AUTH)/u.test(message)) {
    return fail(`${where} has no password, but ${redisVariable} gives one`, 'leave it out, or set one on the server');
  }
  if (code === 'LOADING') return warn(`${where} is still loading its data`, 'wait, and run cairn doctor again');
  if (/DB index|invalid DB/iu.test(message)) {
    return fail(`${where} has no such database`, `correct the number at the end of ${redisVariable}`);
  }
  return fail(`${where} answers: ${message}`, 'look into its log');
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

export const redisCheck: Check = {
  name: 'redis',
  run: async ({ env, signal }) => {
    const text = env[redisVariable];
    if (text === undefined || text === '') return skip(`not configured: ${redisVariable} is not set`);
    const url = parseAddress(text);
    if (!url)
      return fail(
        `${redisVariable} is no address`,
        'write it as redis://host:port, or rediss:// for TLS; in a password, % is %25',
      );
    const where = `${url.hostname || '127.0.0.1'}:${url.port || '6379'}`;
    const limit = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const version = await withRedis(url, AbortSignal.any([signal, limit]), (ask) => greet(ask, url));
      if (version === undefined) return ok(`${where} answers; it does not tell its version`);
      if (semver.lt(semver.coerce(version) ?? '0.0.0', OLDEST)) {
        return fail(`${where} is Redis ${version}`, 'memory needs 6.2 or newer: update it');
      }
      return ok(`${where} is Redis ${version}`);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RedisRefusal) return judgeRefusal(where, error);
      const mend = `start it, or correct ${redisVariable}`;
      if (limit.aborted) return fail(`${where} does not answer within ${TIMEOUT_MS / 1000} s`, mend);
      if (error instanceof NoRedis) return fail(`${where} is something else: ${error.message}`, mend);
      return fail(`${where} cannot be reached: ${reasonOf(error) || 'no address of it answers'}`, mend);
    }
  },
};
