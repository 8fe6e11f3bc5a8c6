#!/usr/bin/env python3
"""What the recipes for vcpkg and Conan say, against the project they are for.

Neither tool is run: vcpkg's functions are stand-ins that print how they were called. A test of label `full` runs Conan.
"""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PORT = ROOT / "packaging/vcpkg/fovea"
# What vcpkg documents for a manifest of a port, of which this one uses some.
FIELDS = {"name", "version", "version-semver", "port-version", "description", "homepage", "documentation", "license", "supports",
          "dependencies", "features", "default-features", "maintainers", "summary"}
DEPENDENCY_FIELDS = {"name", "host", "default-features", "features", "platform", "version>="}
FUNCTIONS = ["vcpkg_check_linkage", "vcpkg_cmake_configure", "vcpkg_cmake_install", "vcpkg_cmake_config_fixup", "vcpkg_install_copyright"]


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


VERSION = re.search(r"^project\(fovea VERSION ([0-9.]+)", text("CMakeLists.txt"), re.MULTILINE)[1]
# Threads are the system's, and zlib is for FOVEA_SOUND, which both recipes leave out.
PACKAGES = set(re.findall(r"find_package\((\w+)", text("CMakeLists.txt") + text("programs/CMakeLists.txt"))) - {"Threads", "ZLIB"}


class Vcpkg(unittest.TestCase):
    def setUp(self):
        self.manifest = json.loads((PORT / "vcpkg.json").read_text(encoding="utf-8"))
        self.dependencies = [entry if isinstance(entry, dict) else {"name": entry} for entry in self.manifest["dependencies"]]

    def test_manifest_has_fields_that_are_documented(self):
        self.assertLessEqual(set(self.manifest), FIELDS)
        for entry in self.dependencies:
            self.assertLessEqual(set(entry), DEPENDENCY_FIELDS)
            self.assertRegex(entry["name"], r"^[a-z0-9]+(-[a-z0-9]+)*$")
        self.assertEqual(self.manifest["name"], PORT.name)
        self.assertEqual(self.manifest["version"], VERSION)

    def test_manifest_names_what_the_project_finds(self):
        ports = {entry["name"].replace("-", "_") for entry in self.dependencies if not entry.get("host")}
        self.assertEqual(ports, {"boost_hana" if name == "Boost" else name.lower() for name in PACKAGES})
        self.assertEqual({entry["name"] for entry in self.dependencies if entry.get("host")}, {"vcpkg-cmake", "vcpkg-cmake-config"})

    def test_port_builds_the_tree_in_which_it_lies(self):
        with tempfile.TemporaryDirectory() as folder:
            stands_for = "".join(f'function({name})\n  message("{name} ${{ARGN}}")\nendfunction()\n' for name in FUNCTIONS)
            script = pathlib.Path(folder, "port.cmake")
            variables = f'set(CURRENT_PORT_DIR "{PORT}")\nset(CURRENT_PACKAGES_DIR "{folder}/made")\nset(PORT fovea)\n'
            script.write_text(f'cmake_minimum_required(VERSION 3.25)\n{stands_for}{variables}include("{PORT}/portfile.cmake")\n', encoding="utf-8")
            run = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=False)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue((pathlib.Path(folder) / "made/share/fovea/usage").is_file())
        called = dict(line.split(" ", 1) if " " in line else (line, "") for line in run.stderr.splitlines())
        self.assertEqual(list(called), FUNCTIONS)
        self.assertIn(f"SOURCE_PATH;{ROOT};", called["vcpkg_cmake_configure"])
        self.assertEqual(called["vcpkg_install_copyright"], f"FILE_LIST;{ROOT}/LICENSE")
        known = set(re.findall(r"^option\((\w+)", text("CMakeLists.txt"), re.MULTILINE))
        options = re.findall(r"-D(\w+)=", called["vcpkg_cmake_configure"])
        self.assertTrue(options)
        self.assertLessEqual(set(options), known)


class Conan(unittest.TestCase):
    def test_recipe_requires_what_the_project_finds(self):
        required = set(re.findall(r'self\.requires\("(\w+)/', text("packaging/conan/conanfile.py")))
        self.assertEqual(required, {name.lower() for name in PACKAGES})
        profile = text("packaging/conan/debian12.profile").partition("[platform_requires]")[2]
        self.assertEqual(set(re.findall(r"^(\w+)/", profile, re.MULTILINE)), required)

    def test_recipe_takes_every_folder_of_the_library(self):
        folders = re.search(r"^FOLDERS = (\[.*\])$", text("packaging/conan/conanfile.py"), re.MULTILINE)[1]
        linked = {path.name for path in (ROOT / "include/fovea").iterdir() if path.is_dir()}
        self.assertEqual(set(json.loads(folders)), linked | {"cmake", "include"})


if __name__ == "__main__":
    unittest.main()
