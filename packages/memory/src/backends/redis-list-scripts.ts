/**
 * Lists. The records are the elements, newest first, so that other programs read and push them. The sequences of the records are
 * found in one of two ways:
 *
 * - Of a short list: the records are numbered from the oldest, and the epoch is a hash of all of them.
 * - A list of more than 256 records has one more element at its tail, the numbering: the epoch, and runs of records with
 *   consecutive sequences. It also has the length of the list and a digest of the newest record. When these do not match, because
 *   another program pushed or removed, the list is numbered as a short one, until the next write gives it another epoch.
 */
import { clock, script, server } from './redis-scripts.ts';
import type { Script } from './redis-scripts.ts';

/** The start of the numbering of a list. */
export const NUMBERING_START: string = '{"cairn:sequences":';

/** Reading of a list, its numbering and its records. */
export const lists: string = `
local START = '${NUMBERING_START}'

local function is_numbering(record) return string.sub(record, 1, #START) == START end

local function digest(record)
  return #record .. ':' .. string.sub(redis.sha1hex(string.sub(record, 1, 48) .. string.sub(record, -48)), 1, 16)
end

local FORMAT = '%s"%s","run":"%s","length":%.0f,"sequence":%.0f,"newest":"%s","highest":%.0f,"disorder":%.0f,"temporary":%.0f,"runs":"%s"}'
local PATTERN = '^"(%w+)","run":"(%w*)","length":(%d+),"sequence":(%d+),"newest":"(%d+:%x+)","highest":(%-?%d+),"disorder":(%d+),"temporary":(%d+),"runs":"([%d: ]+)"}$'

local function parse(text)
  local epoch, run, length, sequence, newest, highest, disorder, temporary, all = string.match(text, PATTERN, #START + 1)
  if not epoch then return nil end
  local runs = {}
  for first, count in string.gmatch(all, '(%d+):(%d+)') do runs[#runs + 1] = { tonumber(first), tonumber(count) } end
  return {
    epoch = epoch, run = run, length = tonumber(length), sequence = tonumber(sequence), newest = newest,
    highest = tonumber(highest), disorder = tonumber(disorder), temporary = tonumber(temporary), runs = runs,
  }
end

-- count: of the records. has_tail: there is a numbering at the tail. numbering: absent unless it is right.
local function open(key)
  local count = redis.call('LLEN', key)
  local list = { key = key, count = count }
  local tail = count > 0 and redis.call('LINDEX', key, -1)
  if not tail or not is_numbering(tail) then
    list.oldest = tail
    return list
  end
  list.has_tail, list.count = true, count - 1
  local numbering = parse(tail)
  if numbering and list.count > 0 and numbering.length == list.count
    and numbering.newest == digest(redis.call('LINDEX', key, 0)) then
    list.numbering = numbering
  end
  return list
end

-- Visits arrays of records, newest first, with the position before the first one.
local function each_thousand(list, visit)
  for start = 0, list.count - 1, 1000 do
    visit(redis.call('LRANGE', list.key, start, math.min(start + 999, list.count - 1)), start - 1)
  end
end
`;

/** Returns the time of a record and whether it is temporary, like `record.ts`. Most times have 13 digits. */
const life = `
local function life(record)
  local time = string.match(record, '^"time":(%d+)}$', -21) or string.match(record, '"time":(%d+)}$', -24)
  if time then return tonumber(time), false end
  local noted, temporary = string.match(record, '"time":(%d+),"temporary":(%a+)}$', -42)
  if noted and (temporary == 'true' or temporary == 'false') then return tonumber(noted), temporary == 'true' end
  local ok, value = pcall(cjson.decode, record)
  if ok and type(value) == 'table' and type(value.time) == 'number' then return value.time, value.temporary == true end
  return nil, false
end
`;

/** Changes of a list and its numbering. */
const changes = `
local GONE = START .. 'null}'
local MIN_NUMBERED, MAX_UNNUMBERED, MAX_RUNS = 128, 256, 512

local function bound(time) return math.max(-9e15, math.min(time, 9e15)) end

-- Makes sure that the list is numbered.
local function number(list)
  if list.numbering then return end
  local highest, disorder, temporary, strays = -9e15, 0, 0, {}
  local times = {}
  each_thousand(list, function(records)
    for _, record in ipairs(records) do
      if is_numbering(record) then strays[record] = true end
      local time, is_temporary = life(record)
      if time then times[#times + 1] = bound(time) end
      if is_temporary then temporary = temporary + 1 end
    end
  end)
  for index = #times, 1, -1 do
    disorder = math.max(disorder, highest - times[index])
    highest = math.max(highest, times[index])
  end
  for stray in pairs(strays) do list.count = list.count - redis.call('LREM', list.key, 0, stray) end
  if next(strays) then
    local tail = redis.call('LINDEX', list.key, -1)
    list.has_tail = tail and is_numbering(tail)
  end
  list.numbering = {
    sequence = list.count, highest = highest, disorder = math.max(disorder, 0), temporary = temporary,
    runs = list.count > 0 and { { 1, list.count } } or {},
  }
end

-- The runs are from the oldest record to the newest; an offset counts from the oldest. Returns the run that begins there.
local function split(runs, offset)
  local passed = 0
  for index = 1, #runs do
    if passed == offset then return index end
    local run = runs[index]
    if offset < passed + run[2] then
      table.insert(runs, index + 1, { run[1] + offset - passed, run[2] - (offset - passed) })
      run[2] = offset - passed
      return index + 1
    end
    passed = passed + run[2]
  end
  return #runs + 1
end

-- Runs that are too many are given up: the list is numbered again.
local function check_runs(numbering)
  if #numbering.runs > MAX_RUNS * 2 then numbering.runs = nil end
end

local function take_run(numbering, offset, count)
  if not numbering or not numbering.runs then return end
  local from = split(numbering.runs, offset)
  local to = split(numbering.runs, offset + count)
  for index = to - 1, from, -1 do table.remove(numbering.runs, index) end
  check_runs(numbering)
end

-- Adds records with these sequences, oldest first.
local function add_run(numbering, offset, sequences)
  if not numbering or not numbering.runs then return end
  local runs = numbering.runs
  local at = split(runs, offset)
  for _, sequence in ipairs(sequences) do
    local run = runs[at - 1]
    if run and run[1] + run[2] == sequence then run[2] = run[2] + 1
    else
      table.insert(runs, at, { sequence, 1 })
      at = at + 1
    end
    if #runs > MAX_RUNS * 2 then break end
  end
  check_runs(numbering)
end

-- Removes the numbering from the tail; it is written again at the end.
local function lift(list)
  if list.has_tail then redis.call('RPOP', list.key) end
  list.has_tail = false
end

-- Removes the records at these positions, which ascend from 0, the newest. A full Redis allows LTRIM, and all that follows.
local function drop(list, positions)
  if #positions == 0 then return end
  local count = list.count
  if positions[1] == count - #positions then
    take_run(list.numbering, 0, #positions)
    redis.call('LTRIM', list.key, 0, positions[1] - 1)
    if positions[1] == 0 then redis.call('DEL', list.key) end
    list.has_tail = false
  else
    redis.call('LTRIM', list.key, 0, -1)
    for _, position in ipairs(positions) do
      take_run(list.numbering, count - 1 - position, 1)
      redis.call('LSET', list.key, position, GONE)
    end
    redis.call('LREM', list.key, #positions, GONE)
  end
  list.count = count - #positions
end

-- Writes the numbering of a long list, and none of a short one.
local function close(list, is_short)
  local numbering = list.numbering
  if list.count == 0 then
    if list.has_tail then redis.call('DEL', list.key) end
    return
  end
  if not numbering or is_short or list.count < MIN_NUMBERED then return lift(list) end
  local run = run_of()
  if numbering.run ~= run or not numbering.epoch or not numbering.runs or #numbering.runs > MAX_RUNS then
    numbering.epoch, numbering.run = new_epoch(), run
    numbering.runs, numbering.sequence = { { 1, list.count } }, list.count
  end
  local runs = {}
  for index, one in ipairs(numbering.runs) do runs[index] = string.format('%.0f:%.0f', one[1], one[2]) end
  local text = string.format(
    FORMAT, START, numbering.epoch, numbering.run, list.count, numbering.sequence, digest(redis.call('LINDEX', list.key, 0)),
    numbering.highest, numbering.disorder, numbering.temporary, table.concat(runs, ' '))
  if list.has_tail then redis.call('LSET', list.key, -1, text) else redis.call('RPUSH', list.key, text) end
end
`;

/**
 * ARGV: time, maximum number of records and of temporary ones ('' for all), lifetime of records and of temporary ones ('' for no
 * expiry), whether as many as there are may be kept; then before, after, time and start of each draft.
 */
export const appendScript: Script = script(`${clock}${server}${lists}${life}${changes}
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

-- The first position with a record that is not newer than a time; list.count for none.
local function position_of(time)
  if list.count == 0 then return 0 end
  if times then
    for index = 1, #times do if times[index] <= time then return index - 1 end end
    return list.count
  end
  local newest = life_at(0)
  if newest and newest <= time then return 0 end
  -- Records before low are newer. Those from high on are at most newer by the disorder.
  local low, high = 0, list.count
  while low < high do
    local middle = math.floor((low + high) / 2)
    local other, at = nil, middle
    repeat
      other = life_at(at)
      at = at - 1
    until other or at < low
    if not other or bound(other) > time + numbering.disorder then low = middle + 1 else high = at + 1 end
  end
  for position = low, list.count - 1 do
    local other = life_at(position)
    if other and other <= time then return position end
  end
  return list.count
end

-- The newest record with each start.
local present = {}
if has_starts then
  local lengths = {}
  for index = first_draft, #ARGV, 4 do if ARGV[index + 3] ~= '' then lengths[#ARGV[index + 3]] = true end end
  local wanted = {}
  for index = first_draft, #ARGV, 4 do wanted[ARGV[index + 3]] = true end
  each_thousand(list, function(records, before)
    for length in pairs(lengths) do
      for index = 1, #records do
        local start = string.sub(records[index], 1, length)
        if wanted[start] and not present[start] and expiry(life(records[index])) > now then
          present[start] = { record = records[index], position = before + index }
        end
      end
    end
  end)
end

-- What is added before each position, oldest first.
local gaps, written = {}, 0
local function known_record(start)
  local best = present[start]
  for position, gap in pairs(gaps) do
    if not best or position <= best.position then
      for index = #gap, 1, -1 do
        if string.sub(gap[index].record, 1, #start) == start then
          best = { record = gap[index].record, position = position - 0.5 }
          break
        end
      end
    end
  end
  return best and best.record
end

local added, latest, untimed = {}, nil, nil
for index = first_draft, #ARGV, 4 do
  local own, start = ARGV[index + 2], ARGV[index + 3]
  local record = start ~= '' and known_record(start)
  if not record then
    record = ARGV[index] .. (own ~= '' and own or string.format('%.0f', now)) .. ARGV[index + 1]
    local time, is_temporary = life(record)
    written = written + 1
    local ends = expiry(time, is_temporary)
    if ends > now then
      local position, target = 0, own ~= '' and tonumber(own) or math.huge
      if own ~= '' and not (untimed and untimed <= target) then position = position_of(target) end
      if own == '' and time then untimed = math.min(untimed or time, time) end
      local gap = gaps[position] or {}
      gaps[position] = gap
      local at = #gap
      while target < math.huge and at >= 1 and not (gap[at].time and gap[at].time <= target) do at = at - 1 end
      table.insert(gap, at + 1, {
        record = record, time = time, is_temporary = is_temporary, sequence = numbering and numbering.sequence + written,
      })
      if time and (not latest or ends > latest) then latest = ends end
    end
  end
  added[#added + 1] = record
end

local function push(command, records)
  for start = 1, #records, 1000 do redis.call(command, key, unpack(records, start, math.min(start + 999, #records))) end
end

-- Writes.
local positions = {}
for position in pairs(gaps) do positions[#positions + 1] = position end
table.sort(positions)
if #positions > 0 then
  local count = list.count
  local from, to
  local between = 0
  for _, position in ipairs(positions) do
    if position > 0 and position < count then
      from = from or position
      to = position
      between = between + #gaps[position]
    end
  end
  if positions[#positions] ~= 0 then check_memory() end
  local head, tail = {}, {}
  local function newer(gap) for _, one in ipairs(gap or {}) do head[#head + 1] = one.record end end
  local function older(gap) for index = gap and #gap or 0, 1, -1 do tail[#tail + 1] = gap[index].record end end
  if from and between < 8 and math.min(to, count - from) > 1000 then
    -- The list is long, and little is placed. The record at the position is replaced for a moment, so that it is the only one.
    for index = #positions, 1, -1 do
      local position = positions[index]
      if position > 0 and position < count then
        local gap, record = gaps[position], redis.call('LINDEX', key, position)
        redis.call('LSET', key, position, GONE)
        for at = #gap, 1, -1 do redis.call('LINSERT', key, 'BEFORE', GONE, gap[at].record) end
        redis.call('LSET', key, position + #gap, record)
      end
    end
  elseif from and to <= count - from then
    -- The newest records are written again, with what is placed between them.
    local records = redis.call('LRANGE', key, 0, to - 1)
    redis.call('LTRIM', key, to, -1)
    for position = to, 1, -1 do
      newer(gaps[position])
      head[#head + 1] = records[position]
    end
  elseif from then
    lift(list)
    local records = redis.call('LRANGE', key, from, count - 1)
    redis.call('LTRIM', key, 0, from - 1)
    for position = from, count - 1 do
      older(gaps[position])
      tail[#tail + 1] = records[position - from + 1]
    end
  end
  newer(gaps[0])
  if count > 0 and gaps[count] then
    lift(list)
    older(gaps[count])
  end
  push('LPUSH', head)
  push('RPUSH', tail)
  for _, position in ipairs(positions) do
    local gap, sequences = gaps[position], {}
    for index, one in ipairs(gap) do
      sequences[index] = one.sequence
      if one.is_temporary then temporary = temporary + 1 else permanent = permanent + 1 end
    end
    if numbering then
      add_run(numbering, count - position, sequences)
      for _, one in ipairs(gap) do
        if one.is_temporary then numbering.temporary = numbering.temporary + 1 end
        if one.time then
          local time = bound(one.time)
          if position == 0 then numbering.disorder = math.max(numbering.disorder, numbering.highest - time) end
          numbering.highest = math.max(numbering.highest, time)
        end
      end
    end
    list.count = list.count + #gap
  end
end
if numbering then numbering.sequence = numbering.sequence + written end

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

/** ARGV: time, index of the last record (-1 for all). Returns the time and the records. */
export const listScript: Script = script(`${clock}
local now = clock(ARGV[1])
return { string.format('%.0f', now), redis.call('LRANGE', KEYS[1], 0, ARGV[2]) }
`);

/** ARGV: records. */
export const removeScript: Script = script(`${server}${lists}${life}${changes}
local list = open(KEYS[1])
local before, gone = list.count, {}
local function remove(record, position)
  gone[#gone + 1] = position
  local _, is_temporary = life(record)
  if list.numbering and is_temporary then list.numbering.temporary = list.numbering.temporary - 1 end
end
local wanted = {}
for _, record in ipairs(ARGV) do wanted[record] = (wanted[record] or 0) + 1 end
if #ARGV <= 8 then
  for record, count in pairs(wanted) do
    for _, position in ipairs(redis.call('LPOS', KEYS[1], record, 'COUNT', count)) do
      if position < list.count then remove(record, position) end
    end
  end
  table.sort(gone)
else
  each_thousand(list, function(records, before)
    for index, record in ipairs(records) do
      local count = wanted[record]
      if count and count > 0 then
        wanted[record] = count - 1
        remove(record, before + index)
      end
    end
  end)
end
if #gone == 0 then return 0 end
drop(list, gone)
close(list, false)
return before - list.count
`);
