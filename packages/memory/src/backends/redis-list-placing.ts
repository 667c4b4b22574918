/**
 * Adding drafts to a list: where each belongs by its time, and writing them there with few commands. Parts of the script in
 * `redis-append-script.ts`.
 */

/**
 * Sets `gaps` (what is added before each position, oldest first), `written` (the number of new records), `latest` (when the last of
 * them expires) and `added` (the record of each draft, which may be one that is present).
 */
export const placing: string = `
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
`;

/** Writes `gaps` to the list, and numbers what was written. */
export const placedWrites: string = `
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
`;
