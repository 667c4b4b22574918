/**
 * Lists. The records are the elements, newest first, so that other programs read and push them. The sequences of the records are
 * found in one of two ways:
 *
 * - Of a short list: the records are numbered from the oldest, and the epoch is a hash of all of them.
 * - A list of more than 256 records has one more element at its tail, the numbering: the epoch, and runs of records with
 *   consecutive sequences. It also has the length of the list and a digest of the newest record. When these do not match, because
 *   another program pushed or removed, the list is numbered as a short one, until the next write gives it another epoch.
 */

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
export const life: string = `
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

/** Changes of a list and its numbering. Needs `server`, `lists` and `life`. */
export const listChanges: string = `
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
