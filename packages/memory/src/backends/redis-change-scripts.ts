/** What changed under a key, for lists and tables. */
import { lists } from './redis-list-numbering.ts';
import { script } from './redis-scripts.ts';
import type { Script } from './redis-scripts.ts';
import { tables } from './redis-table-scripts.ts';

/**
 * `numbered` returns the epoch of a list, the highest sequence, the number of records, the runs of sequences from the oldest
 * record to the newest, and a reader of records, newest first, by offsets from the oldest.
 */
const numbered = `${lists}
local function numbered(key)
  local list = open(key)
  local numbering = list.numbering
  local function read(from, to) return redis.call('LRANGE', key, list.count - 1 - to, list.count - 1 - from) end
  if numbering then
    return {
      epoch = numbering.epoch, sequence = numbering.sequence, count = list.count, runs = numbering.runs, read = read,
    }
  end
  if list.count == 0 then return { epoch = '', sequence = 0, count = 0, runs = {}, read = read } end
  -- The serialized list ends with its checksum.
  local checksum = string.gsub(string.sub(redis.call('DUMP', key), -8), '.', function(byte)
    return string.format('%02x', string.byte(byte))
  end)
  return {
    epoch = list.count .. '-' .. checksum, sequence = list.count, count = list.count, runs = { { 1, list.count } }, read = read,
  }
end
`;

/** Runs the first body for a list, or for nothing, and the second one for a table. */
function changeScript(ofList: string, ofTable: string): Script {
  return script(`${numbered}${tables}
local key = KEYS[1]
if redis.call('TYPE', key).ok ~= 'hash' then ${ofList}
end
local header = open_table(key)
if not header then return wrong_type() end
${ofTable}
`);
}

/**
 * ARGV: epoch, after, up to ('' for all), limit. Returns the epoch, the highest sequence, the count, sequences, records and, of a
 * table, ids.
 */
export const changesScript: Script = changeScript(
  `
  local list = numbered(key)
  local after, up_to, limit = tonumber(ARGV[2]), ARGV[3] ~= '' and tonumber(ARGV[3]) or math.huge, tonumber(ARGV[4])
  if ARGV[1] ~= '' and ARGV[1] ~= list.epoch then after, up_to = 0, math.huge end
  local runs, offset = {}, 0
  for _, run in ipairs(list.runs) do
    runs[#runs + 1] = { first = run[1], count = run[2], offset = offset }
    offset = offset + run[2]
  end
  table.sort(runs, function(a, b) return a.first < b.first end)
  local sequences, records = {}, {}
  for _, run in ipairs(runs) do
    local first = math.max(run.first, after + 1)
    local last = math.min(run.first + run.count - 1, up_to, first + limit - #records - 1)
    if first <= last then
      local newest_first = list.read(run.offset + first - run.first, run.offset + last - run.first)
      for index = #newest_first, 1, -1 do
        sequences[#sequences + 1] = first + #newest_first - index
        records[#records + 1] = newest_first[index]
      end
    end
  end
  return { list.epoch, list.sequence, list.count, sequences, records }`,
  `
local after, up_to, limit = tonumber(ARGV[2]), ARGV[3] ~= '' and tonumber(ARGV[3]) or math.huge, tonumber(ARGV[4])
if ARGV[1] ~= '' and ARGV[1] ~= header.epoch then after, up_to = 0, math.huge end
local sequences, records, ids, fields = {}, {}, {}, {}
if limit > 0 then
  each_row(key, math.max(after + 1, header.lowest), math.min(up_to, header.highest), function(sequence, id)
    sequences[#sequences + 1] = sequence
    ids[#ids + 1] = id
    fields[#fields + 1] = 'row:' .. id
    return #ids >= limit
  end)
end
for index, value in ipairs(many(key, fields)) do
  local row = value and parse_row(value)
  records[index] = row and row.text or ''
end
return { header.epoch, header.highest, header.count, sequences, records, ids }`,
);

/** ARGV: epoch, sequences. Returns the records; nothing for those that are gone. */
export const fetchScript: Script = changeScript(
  `
  local list, found = numbered(key), {}
  for index = 2, #ARGV do
    local sequence, offset, record = tonumber(ARGV[index]), 0, false
    if list.epoch == ARGV[1] then
      for _, run in ipairs(list.runs) do
        if sequence >= run[1] and sequence < run[1] + run[2] then
          local at = offset + sequence - run[1]
          record = list.read(at, at)[1] or false
          break
        end
        offset = offset + run[2]
      end
    end
    found[#found + 1] = record
  end
  return found`,
  `
local found = {}
for index = 2, #ARGV do
  local id = header.epoch == ARGV[1] and redis.call('HGET', key, ARGV[index])
  local row = id and parse_row(redis.call('HGET', key, 'row:' .. id) or '')
  found[#found + 1] = row and row.text or false
end
return found`,
);

/** Returns the epoch, then the first sequence and the length of each run of sequences. */
export const sequencesScript: Script = changeScript(
  `
  local list, runs = numbered(key), {}
  for _, run in ipairs(list.runs) do
    runs[#runs + 1] = run[1]
    runs[#runs + 1] = run[2]
  end
  return { list.epoch, runs }`,
  `
local runs = {}
each_row(key, header.lowest, header.highest, function(sequence)
  local count = #runs
  if count > 0 and runs[count - 1] + runs[count] == sequence then runs[count] = runs[count] + 1
  else
    runs[count + 1] = sequence
    runs[count + 2] = 1
  end
end)
return { header.epoch, runs }`,
);

/** Removes a list or a table. Returns the number of its records or rows. */
export const removeAllScript: Script = changeScript(
  `
  local count = open(key).count
  redis.call('UNLINK', key)
  return count`,
  `
redis.call('UNLINK', key)
return header.count`,
);

/** Returns the kind, the number of records, the bytes (-1 when unknown) and the lifetime; nothing for a missing key. */
export const infoScript: Script = script(`${lists}${tables}
local key = KEYS[1]
local kind, count = redis.call('TYPE', key).ok, 1
if kind == 'none' then return false end
if kind == 'list' then count = open(key).count
elseif kind == 'string' then kind = 'document'
else
  local header = kind == 'hash' and open_table(key)
  kind = header and 'table' or 'other'
  count = header and header.count or 1
end
local bytes = redis.pcall('MEMORY', 'USAGE', key)
return { kind, count, type(bytes) == 'number' and bytes or -1, redis.call('PTTL', key) }
`);
