-- Answers a test over standard input and output: each line is `[id, lua, argument]`, each answer `[id, ok, value]`.
local pending = ''
local channel

local function answer(line)
  local id, code, argument = unpack(vim.json.decode(line, { luanil = { object = true, array = true } }))
  local chunk, fault = load(code, 'test')
  local ok, value = false, fault
  if chunk then
    ok, value = xpcall(chunk, debug.traceback, argument)
  end
  vim.fn.chansend(channel, vim.json.encode({ id, ok, value == nil and vim.NIL or value }) .. '\n')
end

channel = vim.fn.stdioopen({
  on_stdin = function(_, lines)
    pending = pending .. lines[1]
    for at = 2, #lines do
      local line = pending
      pending = lines[at]
      answer(line)
    end
  end,
})
