import { life, listChanges, lists } from './redis-list-numbering.ts';
import { placedWrites, placing } from './redis-list-placing.ts';
import { clock, script, server } from './redis-scripts.ts';
import type { Script } from './redis-scripts.ts';

/** Reads the arguments and what is needed of the list: its numbering, what has expired, and the numbers of records. */
const opening = `
local key, now = KEYS[1], clock(ARGV[1])
local function limit(text) return text ~= '' and tonumber(text) or math.huge end
local max, max_temporary, lifetime, short = limit(ARGV[2]), limit(ARGV[3]), limit(ARGV[4]), limit(ARGV[5])
local keeps_present, is_mixed = ARGV[6] == '1', lifetime ~= short
local is_endless = lifetime == math.huge and short == math.huge
local first_draft = 7
local drafts = (#ARGV - first_draft + 1) / 4

local function expiry(time, is_temporary)
  if not time then return math.huge end
  return time + (is_temporary and short or lifetime)
end

local list = open(key)
local known = redis.call('PTTL', key)

-- The lives of the records before anything is added, by position.
local lives, kinds = {}, {}
local function life_at(position)
  if lives[position] == nil then
    local record = position == list.count - 1 and list.oldest or redis.call('LINDEX', key, position)
    local time, is_temporary = life(record)
    lives[position], kinds[position] = time or false, is_temporary
  end
  return lives[position] or nil, kinds[position]
end

local is_placed, has_starts = false, false
for index = first_draft, #ARGV, 4 do
  if ARGV[index + 2] ~= '' then is_placed = true end
  if ARGV[index + 3] ~= '' then has_starts = true end
end
local is_checked = false
-- Fails when Redis is full, before anything is changed.
local function check_memory()
  if is_checked then return end
  redis.call('LPUSH', key, GONE)
  redis.call('LPOP', key)
  is_checked = true
end

local function drop_expired(gone)
  if #gone == 0 then return end
  check_memory()
  drop(list, gone)
  lives, kinds, list.oldest = {}, {}, nil
end

-- Only a long list is numbered, and only one with one lifetime: notes are read by other programs.
if is_mixed then list.numbering = nil
elseif list.numbering or list.count + drafts > MAX_UNNUMBERED then
  if not list.numbering then check_memory() end
  number(list)
end
local numbering = list.numbering
local may_cut = list.count + drafts > math.min(max, max_temporary)

-- Whether only records at the tail can have expired.
local function is_certain()
  if numbering.temporary > 0 then return false end
  if is_endless then return true end
  local time = list.count > 0 and life_at(list.count - 1)
  return time and time - numbering.disorder + lifetime > now
end

-- What must be known of all records: how many of each kind are kept, when the last one ends, and their times.
local permanent, temporary, last_end, times
local function read_all()
  permanent, temporary, times = 0, 0, is_placed and not numbering and {} or nil
  local gone = {}
  each_thousand(list, function(records, before)
    for index = 1, #records do
      local time, is_temporary = life(records[index])
      local ends = time and time + (is_temporary and short or lifetime) or math.huge
      if ends <= now then
        gone[#gone + 1] = before + index
        if numbering and is_temporary then numbering.temporary = numbering.temporary - 1 end
      else
        if is_temporary then temporary = temporary + 1 else permanent = permanent + 1 end
        if times then times[#times + 1] = time or math.huge end
        if time and (not last_end or ends > last_end) then last_end = ends end
      end
    end
  end)
  drop_expired(gone)
end

if list.count > 0 then
  if not numbering and (is_mixed or is_placed or may_cut) then read_all()
  elseif not is_endless then
    local gone, unreadable = {}, 0
    for position = list.count - 1, 0, -1 do
      local time, is_temporary = life_at(position)
      if not time then
        unreadable = unreadable + 1
        if unreadable > 100 then break end
      elseif expiry(time, is_temporary) > now then break
      else
        gone[#gone + 1] = position
        if numbering and is_temporary then numbering.temporary = numbering.temporary - 1 end
      end
    end
    table.sort(gone)
    drop_expired(gone)
  end
  if numbering and may_cut and not is_certain() then read_all() end
end
local has_read_all, had_records = permanent ~= nil, list.count > 0
if not has_read_all then permanent, temporary = list.count, 0 end
if keeps_present then max, max_temporary = math.max(max, permanent), math.max(max_temporary, temporary) end
`;

/**
 * ARGV: time, maximum number of records and of temporary ones ('' for all), lifetime of records and of temporary ones ('' for no
 * expiry), whether as many as there are may be kept; then before, after, time and start of each draft.
 */
export const appendScript: Script =
  script(`${clock}${server}${lists}${life}${listChanges}${opening}${placing}${placedWrites}
-- The oldest records of each kind that are too many.
local over, over_temporary = permanent - max, temporary - max_temporary
if over > 0 or over_temporary > 0 then
  local gone, position = {}, list.count - 1
  while (over > 0 or over_temporary > 0) and position >= 0 do
    local _, is_temporary = life(redis.call('LINDEX', key, position))
    if is_temporary and over_temporary > 0 then
      over_temporary = over_temporary - 1
      gone[#gone + 1] = position
      if numbering then numbering.temporary = numbering.temporary - 1 end
    elseif not is_temporary and over > 0 then
      over = over - 1
      gone[#gone + 1] = position
    end
    position = position - 1
  end
  table.sort(gone)
  drop(list, gone)
end

close(list, is_mixed)
if list.count == 0 then return added end
if is_endless then
  redis.call('PERSIST', key)
  return added
end
local ends
if numbering then ends = numbering.highest > -9e15 and numbering.highest + lifetime or nil
elseif has_read_all then ends = math.max(latest or -math.huge, last_end or -math.huge)
elseif latest and latest >= now + lifetime and known >= 0 and known <= lifetime then ends = math.max(now + known, latest)
else
  ends = latest or -math.huge
  if had_records then read_all() end
  ends = math.max(ends, last_end or -math.huge)
end
if ends == math.huge then redis.call('PERSIST', key)
elseif ends and ends > -9e15 then redis.call('PEXPIRE', key, string.format('%.0f', math.max(ends - now, 1))) end
return added
`);
