/**
 * Lua scripts, which Redis runs as one step. Each script touches one key.
 *
 * The first writing command of a script that adds data is one that Redis refuses when its memory is full, because Redis does
 * not stop a script later. A script that removes data starts with a command that Redis allows then.
 */
import { createHash } from 'node:crypto';

/** A script with the hash under which Redis caches it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** Returns a script with its hash. */
export function script(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** `ARGV[1]` is the time, or empty for the time of the server. */
export const clock: string = `
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/**
 * `new_epoch` gives each numbering a name of its own: only one script runs at a time. `run_of` identifies the run of the server; it is empty when the user may not read it. After a crash a server may have lost
 * its latest writes, so that a sequence would be given twice: another run begins another epoch.
 */
export const server: string = `
local function run_of()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

local function new_epoch()
  local time = redis.call('TIME')
  return time[1] .. 'x' .. time[2]
end
`;

export const readScript: Script = script(`return redis.call('GET', KEYS[1])`);

/** ARGV: whether a document is expected, the document, whether there is a new one, the new one, its lifetime ('' for none). */
export const swapScript: Script = script(`
local current = redis.call('GET', KEYS[1])
if ARGV[1] == '1' then
  if current ~= ARGV[2] then return 0 end
elseif current then
  return 0
end
if ARGV[3] ~= '1' then redis.call('DEL', KEYS[1])
elseif ARGV[5] == '' then redis.call('SET', KEYS[1], ARGV[4])
else redis.call('SET', KEYS[1], ARGV[4], 'PX', ARGV[5]) end
return 1
`);

/** ARGV: time. The key only selects the node. */
export const clockScript: Script = script(`${clock}
return string.format('%.0f', clock(ARGV[1]))
`);
