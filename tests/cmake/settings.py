"""settings.py ROOT: each setting of the build is declared once, since a second declaration of a name in the cache has no
effect; each that presets, the Makefile and packages set is declared; and what functions read lies in the cache, where a project
that has this one as a folder sees it, too."""

import json
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
skipped = re.compile(r"^(\.|build)")


def files(*patterns):
    for pattern in patterns:
        for path in sorted(root.rglob(pattern)):
            if not any(skipped.match(part) for part in path.relative_to(root).parts):
                yield path


declared = {}
refused = []
for path in files("CMakeLists.txt", "*.cmake"):
    text = path.read_text()
    for found in re.finditer(r"^\s*(?:option\((FOVEA_\w+)|set\((FOVEA_\w+)[^)]* CACHE (?!INTERNAL))", text, re.MULTILINE):
        name = found[1] or found[2]
        place = f"{path.relative_to(root)}:{text.count(chr(10), 0, found.start(1) if found[1] else found.start(2)) + 1}"
        if name in declared:
            refused.append(f"{place}: {name} is declared at {declared[name]}, too")
        declared.setdefault(name, place)

used = {}
for preset in json.loads((root / "CMakePresets.json").read_text())["configurePresets"]:
    for name in preset.get("cacheVariables", {}):
        used.setdefault(name, "CMakePresets.json")
for path in [root / "Makefile", *files("packaging/vcpkg/**/*.cmake")]:
    for name in re.findall(r"-D ?(FOVEA_\w+)=", path.read_text()):
        used.setdefault(name, path.relative_to(root))
recipe = root / "packaging/conan/conanfile.py"
for part in re.findall(r'"(\w+)"', re.search(r"for part in \[(.*)\]", recipe.read_text())[1]):
    used.setdefault(f"FOVEA_{part}", recipe.relative_to(root))
for name, place in used.items():
    if name.startswith("FOVEA_") and name not in declared:
        refused.append(f"{place}: sets {name}, which nothing declares")

DEPTH = {"function": 1, "macro": 1, "endfunction": -1, "endmacro": -1}


def lines_with_depth(text):
    """Each line, and whether a function or macro has it."""
    depth = 0
    for line in text.splitlines():
        command = re.match(r"\s*(\w+)\(", line)
        depth += DEPTH.get(command[1], 0) if command else 0
        yield line, depth > 0


read_in_functions, plain = set(), {}
for path in files("cmake/*.cmake"):
    text = path.read_text()
    for line, is_in_function in lines_with_depth(text):
        if is_in_function:
            read_in_functions.update(re.findall(r"\$\{(fovea_\w+)\}", line))
        elif found := re.match(r"\s*set\((fovea_\w+)(?![^)]*CACHE)", text[text.index(line) :]):
            plain[found[1]] = path.relative_to(root)
for name in sorted(read_in_functions & set(plain)):
    refused.append(f"{plain[name]}: {name} is read in functions; expected CACHE INTERNAL, for projects that have this one as a folder")

print("\n".join(refused), end="\n" if refused else "")
print(f"{len(declared)} settings declared, {len(used)} set")
sys.exit(bool(refused) or not declared or not used)
