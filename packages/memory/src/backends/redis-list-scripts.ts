import { life, listChanges, lists } from './redis-list-numbering.ts';
import { clock, script, server } from './redis-scripts.ts';
import type { Script } from './redis-scripts.ts';

/** ARGV: time, index of the last record. Returns the time and the records. */
export const listScript: Script = script(`${clock}
local now = clock(ARGV[1])
return { string.format('%.0f', now), redis.call('LRANGE', KEYS[1], 0, ARGV[2]) }
`);

/** ARGV: records. */
export const removeScript: Script = script(`${server}${lists}${life}${listChanges}
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
