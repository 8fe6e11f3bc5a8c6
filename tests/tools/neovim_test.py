#!/usr/bin/env python3
"""Opens a model in Neovim, and looks at the virtual text: neovim_test.py PYTHON FOVEA COMPILER INCLUDE."""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODEL = """#include <fovea/dsl.hpp>
using namespace fovea;
inline constexpr auto net = model("net", [](graph& g) {
  expr x = g.input<f32>("x", {"T", 8});
  g.output("y", x + linear(x, "up", 9));
});
"""
SETTINGS = """
vim.cmd('source {root}/tools/neovim/fovea.lua')
vim.o.swapfile = false
fovea.setup {{
  cmd = {{ '{python}', '-B', '{root}/tools/fovea_language_server/server.py' }},
  command = {{ '{fovea}' }},
  arguments = {{ '--compiler', '{compiler}', '--', '-std=c++20', '-I{include}' }},
}}
"""
LOOK = """
local marks = {}
local function look()
  local space = vim.api.nvim_get_namespaces().fovea
  marks = vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })
  return #marks > 0
end
vim.wait(120000, look, 50)
local shown, said = {}, {}
for _, mark in ipairs(marks) do table.insert(shown, { mark[2], mark[4].virt_text[1][1] }) end
for _, one in ipairs(vim.diagnostic.get(0)) do table.insert(said, { one.lnum, one.message }) end
io.stdout:write(vim.json.encode { shown = shown, said = said })
vim.cmd('qall!')
"""


def main():
    python, fovea, compiler, include = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "net.cpp").write_text(MODEL)
        settings = SETTINGS.format(root=ROOT, python=python, fovea=fovea, compiler=compiler, include=include)
        (folder / "settings.lua").write_text(settings)
        (folder / "look.lua").write_text(LOOK)
        command = ["nvim", "--headless", "-i", "NONE", "-u", "settings.lua", "net.cpp", "-c", "luafile look.lua"]
        run = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=300, check=False)
    found = json.loads(run.stdout)
    assert found["shown"] == [[3, "[T, 8]"], [4, "[T, 9]"]], run
    sentence = "cannot add [T, 8] and [T, 9]: the last axis is 8 and 9; sizes must be equal, or one of them 1 [F0058]"
    assert found["said"] == [[4, sentence]], run
    print("Neovim shows both shapes and the sentence")


if __name__ == "__main__":
    main()
