/**
 * Lua scripts, which Redis runs as one step. A table has these keys, with one hash tag:
 *
 * - a hash: `h:<name>` of the table, and for each row `t:<id>`, its text, `m:<id>`, `<sequence> <place> <expiry> <bytes of the text>
 *   <unique string>`, `k:<id>`, a JSON array of its terms, and `u:<unique>`, the id of the row that has a unique string;
 * - sorted sets of the rows by sequence, by place, and by expiry, with members that sort by sequence: `<sequence>:<id>`;
 * - a hash of postings, with a field for each block of a term: `<block> <term>`;
 * - a sorted set of labels, whose members sort by label, place and sequence: `<label>\0<place>:<sequence>:<id>`. The field `l:<id>` of
 *   the hash is a JSON array of the labels of a row.
 *
 * The first writing command of a script that adds data is one that Redis rejects when its memory is full, because Redis does
 * not stop a script later. A script that only removes data starts with a command that Redis allows then.
 */
import { createHash } from 'node:crypto';
import { POSTINGS_BLOCK } from '../records/postings.ts';

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
local function micros()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end
local now = ARGV[1] ~= '' and tonumber(ARGV[1]) or math.floor(micros() / 1000)
`;

/** Reads rows. Lua shows numbers above 10^14 in another form, so that they are formatted. */
const rows = `
local ROWS, WRITTEN, PLACED, EXPIRY, TERMS, LABELS, LIST = unpack(KEYS)
local BLOCK = ${POSTINGS_BLOCK}
local function text_of(number) return string.format('%.0f', number) end
local function member_of(sequence, id) return string.format('%016.0f:', sequence) .. id end
-- A place may be negative; its text sorts as the number.
local function place_text(place)
  return place < 0 and '0' .. string.format('%016.0f', 9007199254740991 + place) or '1' .. string.format('%016.0f', place)
end
local function label_member(label, place, member) return label .. '\\0' .. place_text(place) .. ':' .. member end
local function id_of(member) return string.sub(member, string.find(member, ':', 1, true) + 1) end
local function meta_of(id) return redis.call('HGET', ROWS, 'm:' .. id) end
local function parts_of(meta) return string.match(meta, '^(%S+) (%S+) (%S*) (%d+) (.*)$') end
local function is_live(meta)
  local _, _, expiry = parts_of(meta)
  return expiry == '' or tonumber(expiry) > now
end

local function values_of(kind, ids)
  local fields = {}
  for at, id in ipairs(ids) do fields[at] = kind .. id end
  return #fields == 0 and {} or redis.call('HMGET', ROWS, unpack(fields))
end

-- Appends the ids, the parts and the texts of rows to a reply, until it has a number of them or of bytes. Returns whether there are more.
local function reply_rows(reply, ids, limit, bytes)
  for start = 1, #ids, 128 do
    local some, metas = { unpack(ids, start, math.min(start + 127, #ids)) }, {}
    local live, is_full = {}, false
    for at, meta in ipairs(values_of('m:', some)) do
      is_full = limit <= 0 or bytes <= 0
      if is_full then break end
      if meta and is_live(meta) then
        live[#live + 1], metas[#live + 1] = some[at], meta
        limit, bytes = limit - 1, bytes - tonumber((select(4, parts_of(meta))))
      end
    end
    for at, text in ipairs(values_of('t:', live)) do
      for _, value in ipairs({ live[at], metas[at], text or '' }) do reply[#reply + 1] = value end
    end
    if is_full then return true end
  end
  return false
end
`;

/** ARGV: time. */
export const clockScript: Script = script(`${clock}
return string.format('%.0f', now)
`);

/** ARGV: time, then for each row whether it is named by its sequence, and its id or sequence. Returns the rows that are there. */
export const rowsScript: Script = script(`${clock}${rows}
local ids, reply = {}, {}
for index = 2, #ARGV, 2 do
  local id = ARGV[index + 1]
  if ARGV[index] == '1' then
    local member = redis.call('ZRANGEBYSCORE', WRITTEN, id, id)[1]
    id = member and id_of(member)
  end
  ids[#ids + 1] = id
end
reply_rows(reply, ids, #ids, math.huge)
return reply
`);

/**
 * ARGV: time, order, limit, bytes, and the sequence to begin after; or the place and the sequence to begin before, and a label. Both
 * may be missing. Returns the first and the highest sequence, the number of rows, whether there are more, and the rows.
 */
export const pageScript: Script = script(`${clock}${rows}
local limit, bytes = tonumber(ARGV[3]), tonumber(ARGV[4])
local head = redis.call('HMGET', ROWS, 'h:first', 'h:sequence')
local reply = { head[1] or '0', head[2] or '0', redis.call('ZCARD', WRITTEN), 0 }
-- As many more as may have expired.
local count = limit + 1 + redis.call('ZCOUNT', EXPIRY, '-inf', text_of(now))
local members
if ARGV[2] == 'written' then
  members = redis.call('ZRANGEBYSCORE', WRITTEN, '(' .. ARGV[5], '+inf', 'LIMIT', '0', text_of(count))
elseif ARGV[7] then
  local label = ARGV[7]
  local last = label .. '\\1'
  reply[3] = redis.call('ZLEXCOUNT', LABELS, '(' .. label .. '\\0', '(' .. last)
  if ARGV[5] ~= '' then last = label_member(label, tonumber(ARGV[5]), member_of(tonumber(ARGV[6]), '')) end
  members = redis.call('ZREVRANGEBYLEX', LABELS, '(' .. last, '(' .. label .. '\\0', 'LIMIT', '0', text_of(count))
  -- After the label, the place with its colon has 18 characters.
  for at, member in ipairs(members) do members[at] = string.sub(member, #label + 20) end
else
  local first, last = 0, 0
  if ARGV[5] ~= '' then
    first = redis.call('ZCOUNT', PLACED, '(' .. ARGV[5], '+inf')
    last = first + redis.call('ZCOUNT', PLACED, ARGV[5], ARGV[5])
  end
  -- Of the rows with this place, the first one that was written before.
  while first < last do
    local middle = math.floor((first + last) / 2)
    local member = redis.call('ZREVRANGE', PLACED, text_of(middle), text_of(middle))[1]
    if member < member_of(tonumber(ARGV[6]), '') then last = middle else first = middle + 1 end
  end
  members = redis.call('ZREVRANGE', PLACED, text_of(first), text_of(first + count - 1))
end
for at, member in ipairs(members) do members[at] = id_of(member) end
if reply_rows(reply, members, limit, bytes) then reply[4] = 1 end
return reply
`);

/**
 * ARGV: '', and for each term its first block and the term. Returns the fields of the table, and the number of blocks of each
 * term, each with its numbers.
 */
export const postingsScript: Script = script(`${clock}${rows}
local head = redis.call('HMGET', ROWS, 'h:sequence', 'h:first', 'h:removed')
local blocks, from = {}, math.huge
for index = 2, #ARGV, 2 do from = math.min(from, tonumber(ARGV[index])) end
while from < math.huge do
  local member = redis.call('ZRANGEBYSCORE', WRITTEN, text_of(from * BLOCK), '+inf', 'LIMIT', '0', '1')[1]
  if not member then break end
  local block = math.floor(tonumber(string.sub(member, 1, 16)) / BLOCK)
  blocks[#blocks + 1] = block
  from = block + 1
end
local reply = { head[1] or '0', (head[2] or '0') .. '.' .. (head[3] or '0') }
for index = 2, #ARGV, 2 do
  local place, own = #reply + 1, {}
  reply[place] = 0
  for _, block in ipairs(blocks) do
    if block >= tonumber(ARGV[index]) then own[#own + 1] = text_of(block) end
  end
  for start = 1, #own, 1000 do
    local fields = {}
    for at = start, math.min(start + 999, #own) do fields[#fields + 1] = own[at] .. ' ' .. ARGV[index + 1] end
    for at, numbers in ipairs(redis.call('HMGET', TERMS, unpack(fields))) do
      if numbers then
        reply[place] = reply[place] + 1
        reply[#reply + 1] = own[start + at - 1]
        reply[#reply + 1] = numbers
      end
    end
  end
end
return reply
`);

/** Returns the number of rows, 0 for a value of another type, the bytes (-1 when unknown) and the lifetime; nothing for a missing table. */
export const infoScript: Script = script(`
local kind = redis.call('TYPE', KEYS[1]).ok
if kind == 'none' then return false end
-- A value of another program.
if kind ~= 'hash' then return { 0, -1, redis.call('PTTL', KEYS[1]) } end
local count, bytes = redis.call('ZCARD', KEYS[2]), 0
for index = 1, 6 do
  local part = redis.pcall('MEMORY', 'USAGE', KEYS[index], 'SAMPLES', 0)
  bytes = type(part) == 'number' and bytes >= 0 and bytes + part or (part and -1 or bytes)
end
return { count, bytes, redis.call('PTTL', KEYS[1]) }
`);

/** How a row is removed, and how the postings are changed at the end of a change. */
const changing = `
local added, gone = {}, {}
local function posting(list, sequence, term, value)
  local field = text_of(math.floor(sequence / BLOCK)) .. ' ' .. term
  list[field] = list[field] or {}
  table.insert(list[field], value)
end

local function remove(id)
  local meta = meta_of(id)
  if not meta then return 0 end
  local sequence, place, _, _, unique = parts_of(meta)
  local member = member_of(sequence, id)
  local terms, labels = unpack(redis.call('HMGET', ROWS, 'k:' .. id, 'l:' .. id))
  redis.call('HDEL', ROWS, 't:' .. id, 'm:' .. id, 'k:' .. id, 'l:' .. id)
  if labels then
    for _, label in ipairs(cjson.decode(labels)) do
      redis.call('ZREM', LABELS, label_member(label, tonumber(place), member))
    end
  end
  for _, set in ipairs({ WRITTEN, PLACED, EXPIRY }) do redis.call('ZREM', set, member) end
  if unique ~= '' and redis.call('HGET', ROWS, 'u:' .. unique) == id then redis.call('HDEL', ROWS, 'u:' .. unique) end
  if terms then
    head.removed = head.removed + 1
    for _, term in ipairs(cjson.decode(terms)) do posting(gone, tonumber(sequence), term, tonumber(sequence) % BLOCK) end
  end
  return 1
end

local function write_postings()
  for field, parts in pairs(added) do
    redis.call('HSET', TERMS, field, (redis.call('HGET', TERMS, field) or '') .. table.concat(parts))
  end
  for field, places in pairs(gone) do
    local is_gone, kept = {}, {}
    for _, place in ipairs(places) do is_gone[place] = true end
    for number in string.gmatch(redis.call('HGET', TERMS, field) or '', '%d+') do
      if not is_gone[tonumber(number) % BLOCK] then kept[#kept + 1] = ',' .. number end
    end
    if #kept == 0 then redis.call('HDEL', TERMS, field) else redis.call('HSET', TERMS, field, table.concat(kept)) end
  end
end

-- The ids of rows that start with a prefix, oldest first.
local function ids_with(prefix)
  local ids = {}
  for _, member in ipairs(redis.call('ZRANGE', PLACED, '0', '-1')) do
    local id = id_of(member)
    if string.sub(id, 1, #prefix) == prefix then ids[#ids + 1] = id end
  end
  return ids
end

local function count_with(prefix)
  return prefix == '' and redis.call('ZCARD', PLACED) or #ids_with(prefix)
end

local function trim(prefix, limit)
  local excess = count_with(prefix) - limit
  if excess <= 0 then return end
  local ids = prefix ~= '' and ids_with(prefix) or redis.call('ZRANGE', PLACED, '0', text_of(excess - 1))
  for index = 1, excess do remove(prefix ~= '' and ids[index] or id_of(ids[index])) end
end
`;

/** How a row is written, and how a change ends. */
const writing = `
-- Returns the row, even if it has expired already and is not kept.
local function put(row)
  head.sequence = head.sequence + 1
  local time = math.floor(row.time or now)
  local place = row.time and time or math.max(head.place, time)
  head.place = math.max(head.place, place)
  local expiry = row.lifetime and text_of(time + row.lifetime) or ''
  local text = row.text or (row.before .. text_of(time) .. row.after)
  local meta = table.concat({ text_of(head.sequence), text_of(place), expiry, #text, row.unique or '' }, ' ')
  local fields = { row.id, meta, text }
  if row.lifetime and time + row.lifetime <= now then return fields end
  redis.call('HSET', ROWS, 't:' .. row.id, text, 'm:' .. row.id, meta)
  if row.terms then
    local terms = {}
    for index = 1, #row.terms, 2 do
      local number = row.terms[index + 1] * BLOCK + head.sequence % BLOCK
      posting(added, head.sequence, row.terms[index], ',' .. text_of(number))
      terms[#terms + 1] = row.terms[index]
    end
    redis.call('HSET', ROWS, 'k:' .. row.id, cjson.encode(terms))
  end
  if row.unique then redis.call('HSET', ROWS, 'u:' .. row.unique, row.id) end
  local member = member_of(head.sequence, row.id)
  if row.labels then
    redis.call('HSET', ROWS, 'l:' .. row.id, cjson.encode(row.labels))
    for _, label in ipairs(row.labels) do redis.call('ZADD', LABELS, '0', label_member(label, place, member)) end
  end
  redis.call('ZADD', WRITTEN, text_of(head.sequence), member)
  redis.call('ZADD', PLACED, text_of(place), member)
  if expiry ~= '' then redis.call('ZADD', EXPIRY, expiry, member) end
  return fields
end

-- Other programs read notes as a list of their texts, unless the list is theirs.
local function write_list(ttl)
  if not LIST or (head.list ~= '1' and redis.call('EXISTS', LIST) == 1) then return end
  head.list = '1'
  redis.call('DEL', LIST)
  local members = redis.call('ZREVRANGE', PLACED, '0', '-1')
  for _, member in ipairs(members) do redis.call('RPUSH', LIST, redis.call('HGET', ROWS, 't:' .. id_of(member))) end
  if ttl and #members > 0 then redis.call('PEXPIRE', LIST, ttl) end
end

local function finish()
  write_postings()
  local count = redis.call('ZCARD', WRITTEN)
  local last = redis.call('ZCARD', EXPIRY) == count and redis.call('ZREVRANGE', EXPIRY, '0', '0', 'WITHSCORES')[2]
  local ttl = last and text_of(math.max(1, math.ceil(tonumber(last) - now)))
  write_list(ttl)
  if count == 0 then
    redis.call('DEL', ROWS, WRITTEN, PLACED, EXPIRY, TERMS, LABELS)
    return '0'
  end
  for name, value in pairs(head) do
    redis.call('HSET', ROWS, 'h:' .. name, type(value) == 'number' and text_of(value) or value)
  end
  for index = 1, 6 do
    if ttl then redis.call('PEXPIRE', KEYS[index], ttl) else redis.call('PERSIST', KEYS[index]) end
  end
  return text_of(head.sequence)
end
`;

/**
 * ARGV: time, the change as JSON. Returns `done`, the highest sequence, the number of removed rows and the written rows;
 * or why the change was not made, with the id of a row.
 */
export const changeScript: Script = script(`${clock}${rows}
local change = cjson.decode(ARGV[2])
local names = { 'sequence', 'first', 'place', 'removed', 'run', 'list' }
local values = redis.call('HMGET', ROWS, 'h:sequence', 'h:first', 'h:place', 'h:removed', 'h:run', 'h:list')
local head = {}
for index, name in ipairs(names) do head[name] = index < 5 and tonumber(values[index] or 0) or values[index] or '' end
if change.sequence and change.sequence ~= text_of(head.sequence) then return { 'changed' } end
local rewritten, taken, adds = {}, {}, false
for _, row in ipairs(change.rows) do
  local meta = meta_of(row.id)
  local text = meta and is_live(meta) and redis.call('HGET', ROWS, 't:' .. row.id) or nil
  if rewritten[row.id] or text ~= row.expected then return { 'changed', row.id } end
  rewritten[row.id] = true
  adds = adds or not row.isRemoval
end
for _, row in ipairs(change.rows) do
  if row.unique and not row.isRemoval then
    local owner = redis.call('HGET', ROWS, 'u:' .. row.unique)
    local meta = owner and meta_of(owner)
    if not meta or not is_live(meta) or rewritten[owner] then owner = nil end
    owner = taken[row.unique] or owner
    if owner then return { 'taken', owner } end
    taken[row.unique] = row.id
  end
end
${changing}${writing}
local info = redis.pcall('INFO', 'server')
local run = type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
if not values[1] then
  head.first, head.place = micros(), -math.huge
  head.sequence = head.first
elseif head.run ~= run then
  -- After a crash the server may have lost its latest writes: their sequences are not given again.
  head.sequence = math.max(head.sequence, micros())
end
head.run = run
if adds then redis.call('HSET', ROWS, 'h:run', run) end
local limits, removed = {}, 0
repeat
  local expired = redis.call('ZRANGEBYSCORE', EXPIRY, '-inf', text_of(now), 'LIMIT', '0', '64')
  for _, member in ipairs(expired) do remove(id_of(member)) end
  -- An expired row is not one of the rows that stay.
until #expired < 64 or #change.keep == 0
for index, keep in ipairs(change.keep) do
  limits[index] = keep.present and math.max(keep.rows, count_with(keep.prefix)) or keep.rows
end
if change.removesAll then
  removed = redis.call('ZCARD', WRITTEN)
  redis.call('UNLINK', WRITTEN, PLACED, EXPIRY, TERMS, LABELS, ROWS)
  head.removed = head.removed + removed
  gone = {}
end
for _, id in ipairs(change.removes) do removed = removed + remove(id) end
for _, row in ipairs(change.rows) do
  remove(row.id)
  if row.isRemoval then head.sequence = head.sequence + 1 end
end
if removed > 0 then head.sequence = head.sequence + 1 end
for unique in pairs(taken) do
  -- An expired row that has it.
  local owner = redis.call('HGET', ROWS, 'u:' .. unique)
  if owner then remove(owner) end
end
local reply = { 'done', '', text_of(removed) }
for _, row in ipairs(change.rows) do
  if not row.isRemoval then for _, field in ipairs(put(row)) do reply[#reply + 1] = field end end
end
for index, keep in ipairs(change.keep) do trim(keep.prefix, limits[index]) end
reply[2] = finish()
return reply
`);
