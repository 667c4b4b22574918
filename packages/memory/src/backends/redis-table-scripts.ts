/**
 * Tables. A table is a hash with three kinds of fields and a header:
 *
 * - `row:{id}`: the sequence, the unique text and the text of the row.
 * - `unique:{text}`: the id of the row that has the unique text.
 * - `{sequence}`: the id of the row with this sequence.
 * - `cairn`: the epoch, the run of the server, the lowest and the highest sequence, and the number of rows.
 *
 * Rows that are changed leave gaps between the sequences. Each write therefore moves some of the oldest rows to the end, as if they
 * were changed too, while the gaps are most of the sequences. So the sequences are read in a time that is linear in the rows.
 */
import { script, server } from './redis-scripts.ts';
import type { Script } from './redis-scripts.ts';

/** Reading of a table. */
export const tables: string = `
local HEADER = 'cairn'

local function wrong_type() return { err = 'WRONGTYPE the hash is not a table of Cairn' } end

-- Nothing for a hash of another program.
local function open_table(key)
  local header = redis.call('HGET', key, HEADER)
  if not header then return nil end
  local epoch, run, lowest, highest, count = string.match(header, '^(%w+):(%w*):(%d+):(%d+):(%d+)$')
  if not epoch then return nil end
  return { epoch = epoch, run = run, lowest = tonumber(lowest), highest = tonumber(highest), count = tonumber(count) }
end

local function parse_row(value)
  local sequence, length, at = string.match(value, '^(%d+):(%-?%d*):()')
  if not sequence then return nil end
  if length == '-' then return { sequence = tonumber(sequence), text = string.sub(value, at) } end
  return {
    sequence = tonumber(sequence), unique = string.sub(value, at, at + length - 1), text = string.sub(value, at + length),
  }
end

local function many(key, fields)
  local values = {}
  for start = 1, #fields, 1000 do
    for _, value in ipairs(redis.call('HMGET', key, unpack(fields, start, math.min(start + 999, #fields)))) do
      values[#values + 1] = value
    end
  end
  return values
end

-- Visits the sequences and ids of rows from one sequence to another, until one visit returns true.
local function each_row(key, from, to, visit)
  for start = from, to, 1000 do
    local fields = {}
    for sequence = start, math.min(start + 999, to) do fields[#fields + 1] = string.format('%.0f', sequence) end
    for index, id in ipairs(redis.call('HMGET', key, unpack(fields))) do
      if id and visit(start + index - 1, id) then return end
    end
  end
end
`;

/** ARGV: ids. Returns sequence and text of each row, or nothing for it. */
export const rowsScript: Script = script(`${tables}
local key = KEYS[1]
if redis.call('EXISTS', key) == 1 and not open_table(key) then return wrong_type() end
local fields, rows = {}, {}
for index, id in ipairs(ARGV) do fields[index] = 'row:' .. id end
for index, value in ipairs(many(key, fields)) do
  local row = value and parse_row(value)
  rows[index] = row and { row.sequence, row.text } or false
end
return rows
`);

/**
 * ARGV: the required sequence ('' for any), whether a document is replaced, the document; then for each row: id, whether
 * it is expected, the expected text, whether there is a new one, the new text, whether it has a unique text, the unique text.
 *
 * Returns the new sequence, or the reason and the id of the row.
 */
export const changeScript: Script = script(`${server}${tables}
local key = KEYS[1]
local replaces = ARGV[2] == '1'
local table_of_key
if replaces then
  if redis.call('GET', key) ~= ARGV[3] then return { 'changed' } end
elseif redis.call('EXISTS', key) == 1 then
  table_of_key = open_table(key)
  if not table_of_key then return wrong_type() end
end
local header = table_of_key or { epoch = new_epoch(), run = false, lowest = 1, highest = 0, count = 0 }
if ARGV[1] ~= '' and tonumber(ARGV[1]) ~= header.highest then return { 'changed' } end

local function read_row(id)
  local value = not replaces and redis.call('HGET', key, 'row:' .. id)
  return value and parse_row(value) or nil
end

local changes, changed = {}, {}
for index = 4, #ARGV, 7 do
  local id = ARGV[index]
  local expected = ARGV[index + 1] == '1' and ARGV[index + 2] or nil
  local row = read_row(id)
  if (row and row.text) ~= expected then return { 'changed', id } end
  changed[id] = true
  changes[#changes + 1] = {
    id = id,
    text = ARGV[index + 3] == '1' and ARGV[index + 4] or nil,
    unique = ARGV[index + 5] == '1' and ARGV[index + 6] or nil,
  }
end
local claimed = {}
for _, change in ipairs(changes) do
  if change.text and change.unique then
    local owner = not replaces and redis.call('HGET', key, 'unique:' .. change.unique) or nil
    if owner and owner ~= change.id and not changed[owner] then return { 'taken', owner } end
    local other = claimed[change.unique]
    if other and other ~= change.id then return { 'taken', other } end
    claimed[change.unique] = change.id
  end
end

local function write(command, ...) return redis.call(command, key, ...) end
local function field(sequence) return string.format('%.0f', sequence) end

-- Fails when Redis is full, before anything is changed.
if replaces then
  write('SET', ARGV[3])
  write('DEL')
  replaces = false
end
local adds = false
for _, change in ipairs(changes) do adds = adds or change.text ~= nil end
if adds then write('HSET', HEADER, '') end

local function put(id, text, unique)
  header.highest = header.highest + 1
  write('HSET', field(header.highest), id, 'row:' .. id,
    field(header.highest) .. ':' .. (unique and #unique or '-') .. ':' .. (unique or '') .. text)
end

local run = run_of()
if header.run ~= run then
  -- After a crash the server may have lost writes, so that other records would get their sequences.
  if header.run then
    header.epoch = new_epoch()
    header.highest = header.highest + 1000
  end
  header.run = run
end
for _, change in ipairs(changes) do
  local row = read_row(change.id)
  if row then
    write('HDEL', field(row.sequence), 'row:' .. change.id)
    if row.unique then write('HDEL', 'unique:' .. row.unique) end
    header.count = header.count - 1
  end
  if change.text then
    put(change.id, change.text, change.unique)
    header.count = header.count + 1
  else
    header.highest = header.highest + 1
  end
end
for unique, id in pairs(claimed) do
  local row = read_row(id)
  if row and row.unique == unique then write('HSET', 'unique:' .. unique, id) end
end

-- Moves the oldest rows while most sequences have no row.
for _ = 1, 16 + 8 * #changes do
  if header.highest - header.lowest < 4 * header.count + 4000 then break end
  local id = redis.call('HGET', key, field(header.lowest))
  if id then
    local row = read_row(id)
    write('HDEL', field(header.lowest))
    if row then put(id, row.text, row.unique) end
  end
  header.lowest = header.lowest + 1
end

if header.count == 0 then
  write('DEL')
else
  write('HSET', HEADER, string.format('%s:%s:%.0f:%.0f:%.0f', header.epoch, header.run, header.lowest, header.highest, header.count))
end
return header.highest
`);
