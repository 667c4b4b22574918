/**
 * Lua scripts, which Redis runs as one step. Each script touches one key.
 *
 * The first writing command of a script is one that Redis refuses when its memory is full, because Redis does not stop a
 * script later.
 */
import { createHash } from 'node:crypto';

/** A script with the hash under which Redis caches it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

function script(text: string): Script {
  return { text, sha1: createHash('sha1').update(text).digest('hex') };
}

/** `ARGV[1]` is the time, or empty for the time of the server. */
const clock = `
local function clock(given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;

/** Returns the time of a record and whether it is temporary, like \`record.ts\`. */
const life = `
local function life(record)
  local tail = string.sub(record, -64)
  local time = string.match(tail, '"time":(%d+)}$')
  if time and #time <= 16 then return tonumber(time), false end
  local noted, temporary = string.match(tail, '"time":(%d+),"temporary":(%a+)}$')
  if noted and #noted <= 16 and (temporary == 'true' or temporary == 'false') then
    return tonumber(noted), temporary == 'true'
  end
  local ok, value = pcall(cjson.decode, record)
  if ok and type(value) == 'table' and type(value.time) == 'number' then return value.time, value.temporary == true end
  return nil, false
end
`;

/** ARGV: time, maxRecords ('' for all), lifetime ('' for no expiry), temporary lifetime, then before, after and time of each. */
export const appendScript: Script = script(`${clock}${life}
local key, now = KEYS[1], clock(ARGV[1])
local max = ARGV[2] ~= '' and tonumber(ARGV[2]) or nil
local lifetime = ARGV[3] ~= '' and tonumber(ARGV[3]) or math.huge
local short = ARGV[4] ~= '' and tonumber(ARGV[4]) or math.huge
local mixed = lifetime ~= short
local function expiry(record)
  local time, temporary = life(record)
  if not time then return nil end
  return time + (temporary and short or lifetime)
end

local newest = redis.call('LINDEX', key, 0)
local known = redis.call('PTTL', key)
local latest = -math.huge
if newest then latest = life(newest) or math.huge end
local added, ordered = {}, true
for index = 5, #ARGV, 3 do
  local own = ARGV[index + 2]
  local time = own ~= '' and own or string.format('%.0f', now)
  added[#added + 1] = ARGV[index] .. time .. ARGV[index + 1]
  if own ~= '' and tonumber(own) < latest then ordered = false end
  latest = tonumber(time)
end

if ordered then
  for _, record in ipairs(added) do redis.call('LPUSH', key, record) end
else
  local records = redis.call('LRANGE', key, 0, -1)
  for number, record in ipairs(added) do
    local own, at = ARGV[5 + (number - 1) * 3 + 2], 1
    if own ~= '' then
      local time = tonumber(own)
      while at <= #records do
        local other = life(records[at])
        if other and other <= time then break end
        at = at + 1
      end
    end
    table.insert(records, at, record)
  end
  redis.call('RPUSH', key, records[1])
  redis.call('DEL', key)
  for _, record in ipairs(records) do redis.call('RPUSH', key, record) end
end

if mixed then
  for _, record in ipairs(redis.call('LRANGE', key, 0, -1)) do
    local ends = expiry(record)
    if ends and ends <= now then redis.call('LREM', key, -1, record) end
  end
elseif lifetime ~= math.huge then
  while true do
    local oldest = redis.call('LINDEX', key, -1)
    local ends = oldest and expiry(oldest)
    if not ends or ends > now then break end
    redis.call('RPOP', key)
  end
end
if max then redis.call('LTRIM', key, 0, max - 1) end

local ends = nil
if not mixed and (lifetime == math.huge or known >= 0) then
  ends = lifetime == math.huge and math.huge or now + known
  for _, record in ipairs(added) do
    local one = expiry(record)
    if one and one > ends then ends = one end
  end
else
  for _, record in ipairs(redis.call('LRANGE', key, 0, -1)) do
    local one = expiry(record)
    if one and (not ends or one > ends) then ends = one end
  end
end
if ends == math.huge then redis.call('PERSIST', key)
elseif ends then redis.call('PEXPIRE', key, string.format('%.0f', math.max(ends - now, 1))) end
return added
`);

/** ARGV: time, index of the last record (-1 for all). Returns the time and the records. */
export const listScript: Script = script(`${clock}
local now = clock(ARGV[1])
return { string.format('%.0f', now), redis.call('LRANGE', KEYS[1], 0, ARGV[2]) }
`);

/** ARGV: records; nothing for all records. */
export const removeScript: Script = script(`
local before = redis.call('LLEN', KEYS[1])
if #ARGV == 0 then
  redis.call('DEL', KEYS[1])
  return before
end
for _, record in ipairs(ARGV) do redis.call('LREM', KEYS[1], 1, record) end
return before - redis.call('LLEN', KEYS[1])
`);

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

/** Returns the type, the number of records, the bytes (-1 when unknown) and the lifetime; nothing for a missing key. */
export const infoScript: Script = script(`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return false end
local records = kind == 'list' and redis.call('LLEN', KEYS[1]) or 1
local bytes = redis.pcall('MEMORY', 'USAGE', KEYS[1])
return { kind, records, type(bytes) == 'number' and bytes or -1, redis.call('PTTL', KEYS[1]) }
`);

/** ARGV: time. The key only selects the node. */
export const clockScript: Script = script(`${clock}
return string.format('%.0f', clock(ARGV[1]))
`);
