#!/usr/bin/env python3
"""What cpack makes of a build folder: debian_test.py BUILD FOLDER

Both Debian packages are made in FOLDER, looked into, and unpacked below FOLDER/root; the archive holds the same files.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELATION = re.compile(r"([a-z0-9][a-z0-9+.-]+)(?: \((?:>=|=) [0-9][\w.:+~-]*\))?")


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def section_of_dependencies(name):
    text = (ROOT / "cmake/dependencies.txt").read_text(encoding="utf-8")
    return set(re.search(rf"^\[{name}\]\n(.*?)(?:\n\n|\Z)", text, re.MULTILINE | re.DOTALL)[1].split())


class Packages(unittest.TestCase):
    build = folder = pathlib.Path()

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        for kind in ["DEB", "TGZ"]:
            run("cpack", "--config", cls.build / "CPackConfig.cmake", "-G", kind, "-B", cls.folder)
        cls.packages = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}
        for path in cls.packages.values():
            run("dpkg", "-x", path, cls.folder / "root")

    def field(self, package, name):
        return run("dpkg-deb", "-f", self.packages[package], name).strip()

    def names(self, package, name):
        """The packages that a field names, each of a form that dpkg takes."""
        relations = [word.strip() for entry in self.field(package, name).split(",") for word in entry.split("|")]
        matches = [RELATION.fullmatch(relation) for relation in relations]
        self.assertNotIn(None, matches, relations)
        return {match[1] for match in matches}

    def files(self, package):
        listing = run("dpkg-deb", "-c", self.packages[package]).splitlines()
        return {line.split(maxsplit=5)[5].removeprefix("./usr/") for line in listing if not line.endswith("/")}

    def test_there_are_two(self):
        self.assertEqual(sorted(self.packages), ["fovea", "libfovea-dev"])
        for package in self.packages:
            self.assertEqual(self.field(package, "Maintainer"), "The Fovea authors")
            self.assertEqual(self.field(package, "Priority"), "optional")
            self.assertEqual(self.field(package, "Homepage"), "")
            self.assertRegex(self.field(package, "Version"), r"^\d+\.\d+\.\d+$")
            self.assertIn("\n ", self.field(package, "Description"))
            self.assertIn(f"share/doc/{package}/copyright", self.files(package))
        self.assertEqual(self.field("fovea", "Section"), "devel")
        self.assertEqual(self.field("libfovea-dev", "Section"), "libdevel")

    def test_depend_on_packages_of_debian(self):
        needed = self.names("libfovea-dev", "Depends")
        self.assertEqual(needed, {"libboost-dev", "libutf8proc-dev", "libxsimd-dev", "libxtensor-dev", "nlohmann-json3-dev"})
        self.assertLess(needed, section_of_dependencies("build"))
        self.assertLess({"libcpp-httplib-dev", "libsndfile1-dev", "libsamplerate0-dev", "zlib1g-dev"}, self.names("libfovea-dev", "Recommends"))
        self.assertLess({"libc6", "libstdc++6"}, self.names("fovea", "Depends")) # as dpkg-shlibdeps finds them
        self.assertEqual(self.names("fovea", "Recommends"), {"libfovea-dev"})

    def test_hold_each_its_part(self):
        program, library = self.files("fovea"), self.files("libfovea-dev")
        self.assertEqual(program & library, set())
        headers = {f"include/fovea/{path.relative_to(ROOT)}" for folder in ("base", "dsl", "weights", "backends", "runtime", "models", "programs")
                   for path in (ROOT / folder).rglob("*.hpp")}
        self.assertLess(headers, library)
        self.assertIn("share/fovea/fovea_dsl.hpp", library)
        for name in ["libfovea_runtime.a", "libfovea_kernels.a", "libfovea_programs.a", "cmake/fovea/fovea-config.cmake"]:
            self.assertEqual(len([path for path in library if re.fullmatch(rf"lib/(\S+/)?{name}", path)]), 1, name)
        self.assertLess({"bin/fovea", "share/fovea/words/linear.md", "share/fovea/language_server/server.py"}, program)
        self.assertEqual([path for path in program | library if "__pycache__" in path], [])

    def test_the_archive_holds_the_same(self):
        (archive,) = self.folder.glob("*.tar.gz")
        with tarfile.open(archive) as files:
            found = {entry.name.split("/", 1)[1] for entry in files if not entry.isdir()}
        self.assertEqual(found, self.files("fovea") | self.files("libfovea-dev"))

    def test_the_program_runs_where_it_was_unpacked(self):
        self.assertIn("fovea", run(self.folder / "root/usr/bin/fovea", "--help"))

    def test_name_no_folder_of_the_machine_that_built(self):
        folders = [f"{folder}/".encode() for folder in (ROOT, self.build)]
        files = [path for path in (self.folder / "root").rglob("*") if path.is_file()]
        self.assertEqual([path for path in files if any(folder in path.read_bytes() for folder in folders)], [])


if __name__ == "__main__":
    Packages.build, Packages.folder = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
