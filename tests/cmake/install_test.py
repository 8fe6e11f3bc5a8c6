"""install_test.py SCRIPT: what the script that installs packages says is missing, on a machine whose dpkg is made up."""

import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1])
# Of each package what dpkg-query prints: one for two processors, one for another alone, one for all, one that was removed.
THERE = {
    "libutf8proc-dev": "amd64 installed\narm64 installed\n",
    "libutf8proc-dev:arm64": "arm64 installed\n",
    "libfmt-dev": "arm64 installed\n",
    "libcli11-dev": "all installed\n",
    "libpng-dev": "amd64 config-files\n",
}


def missing(section, packages):
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        programs = {
            "dpkg": 'echo amd64',
            "id": "echo 1000",
            "dpkg-query": 'for last; do :; done\ncase $last in\n'
            + "".join(f"{name}) printf '%b' '{told.encode('unicode_escape').decode()}' ;;\n" for name, told in THERE.items())
            + "*) exit 1 ;;\nesac",
        }
        for name, text in programs.items():
            (here / name).write_text(f"#!/bin/sh\n{text}\n")
            (here / name).chmod(0o755)
        (here / "install_dependencies.sh").write_text(SCRIPT.read_text())
        (here / "dependencies.txt").write_text(f"[{section}]\n" + "\n".join(packages) + "\n")
        run = subprocess.run(["sh", here / "install_dependencies.sh", section], capture_output=True, text=True, check=False,
                             env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"})
        found = [line.split(":", 1)[1].split() for line in run.stderr.splitlines() if line.startswith("Missing Debian packages:")]
        assert bool(found) == (run.returncode == 1), run.stderr
        return found[0] if found else []


assert missing("all", ["libutf8proc-dev", "libutf8proc-dev:arm64", "libcli11-dev"]) == []
assert missing("some", [*THERE, "catch2"]) == ["libfmt-dev", "libpng-dev", "catch2"]
