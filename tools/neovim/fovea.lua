-- Fovea's language server in Neovim 0.7 and later, with the shape of each line as virtual text at its end.
--
--     vim.cmd('source /usr/local/share/fovea/neovim/fovea.lua')
--     fovea.setup { cmd = { 'python3', '/usr/local/share/fovea/language_server/server.py' } }
--
-- setup takes cmd, command and arguments (both as the server does), and filetypes { 'cpp' }.

fovea = {}
local space = vim.api.nvim_create_namespace('fovea')

local function show(buffer, hints)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, hint in ipairs(hints or {}) do
    if hint.position.line < vim.api.nvim_buf_line_count(buffer) then
      vim.api.nvim_buf_set_extmark(buffer, space, hint.position.line, 0, { virt_text = { { hint.label, 'Comment' } } })
    end
  end
end

-- Shapes are known when the compiler is done, which is when the diagnostics come.
local function ask(client, uri)
  local buffer = vim.uri_to_bufnr(uri)
  if not vim.api.nvim_buf_is_loaded(buffer) then return end
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 } }
  client.request('textDocument/inlayHint', { textDocument = { uri = uri }, range = range }, function(_, hints)
    if vim.api.nvim_buf_is_loaded(buffer) then show(buffer, hints) end
  end, buffer)
end

local function published(problem, result, context, options)
  vim.lsp.diagnostic.on_publish_diagnostics(problem, result, context, options)
  local client = vim.lsp.get_client_by_id(context.client_id)
  for _, buffer in ipairs(vim.lsp.get_buffers_by_client_id(context.client_id)) do
    ask(client, vim.uri_from_bufnr(buffer))
  end
end

function fovea.setup(options)
  local running
  vim.api.nvim_create_autocmd('FileType', {
    pattern = options.filetypes or { 'cpp' },
    callback = function(event)
      running = running or vim.lsp.start_client {
        name = 'fovea',
        cmd = options.cmd,
        root_dir = vim.fn.getcwd(),
        init_options = { command = options.command, arguments = options.arguments },
        handlers = { ['textDocument/publishDiagnostics'] = published },
      }
      vim.lsp.buf_attach_client(event.buf, running)
      vim.keymap.set('n', 'K', vim.lsp.buf.hover, { buffer = event.buf })
    end,
  })
end
