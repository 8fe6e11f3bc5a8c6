#!/usr/bin/env python3
"""Runs the tests of a build that counts (preset `coverage`) and tells which lines and branches of base/, dsl/, weights/ and runtime/ they reach.

A line or a branch of a template counts as reached where any of its instantiations reaches it, in any of the test programs.
Branches are those of the source: both sides of each condition. What may throw is none, and neither is a condition that
is known at compile time. Prints a table of folders, writes one line a file into BUILD/coverage/files.txt, what is not
reached into BUILD/coverage/unreached.txt and pages of the source into BUILD/coverage/html, and fails where one of the
folders is below what is asked for.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

FOLDERS = ("base", "dsl", "weights", "runtime")
ASKED = {"lines": 95, "branches": 90}  # percent
LLVM = "19"


class Reached:
    """Of one file: by line, and by side of a branch, whether it was run."""

    def __init__(self):
        self.lines = collections.defaultdict(bool)
        self.branches = collections.defaultdict(bool)

    def shares(self):
        return {"lines": share(self.lines), "branches": share(self.branches)}


def share(found):
    return sum(found.values()), len(found)


def lines_of(segments):
    """(line, runs) of each line that holds code. A segment says of what follows it how often that ran: line, column, count,
    has a count, begins a region, is a gap."""
    by_line = collections.defaultdict(list)
    for segment in segments:
        by_line[segment[0]].append(segment)
    wrapping = None
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else ():
        here = by_line.get(line, [])
        begun = [one for one in here if one[3] and one[4] and not one[5]]
        skipped = here and not here[0][3] and here[0][4]
        if begun or (wrapping and wrapping[3] and not skipped):
            runs = [one[2] for one in begun]
            if wrapping and wrapping[3]:
                runs.append(wrapping[2])
            yield line, max(runs)
        if here:
            wrapping = here[-1]


def read(export, root, files):
    """Adds what one program's export says to what is known of each file."""
    for data in export["data"]:
        for file in data["files"]:
            name = os.path.relpath(os.path.realpath(file["filename"]), root)
            if not name.startswith(tuple(folder + "/" for folder in FOLDERS)):
                continue
            reached = files[name]
            for line, runs in lines_of(file["segments"]):
                reached.lines[line] |= runs > 0
            for first_line, first, last_line, last, yes, no, *_ in file["branches"]:
                where = (first_line, first, last_line, last)
                reached.branches[(*where, True)] |= yes > 0
                reached.branches[(*where, False)] |= no > 0


def drop_known(reached):
    """A condition of code that ran, of which neither side did, is known at compile time."""
    for branch in [branch for branch in reached.branches if branch[-1]]:
        other = (*branch[:-1], False)
        if not reached.branches[branch] and not reached.branches[other] and reached.lines.get(branch[0], False):
            del reached.branches[branch], reached.branches[other]


def run_tests(build, jobs, leave_out):
    profiles = build / "coverage" / "profiles"
    profiles.mkdir(parents=True, exist_ok=True)
    for old in profiles.iterdir():
        old.unlink()
    # One file a program, into which the processes that it starts merge theirs.
    environment = dict(os.environ, LLVM_PROFILE_FILE=str(profiles / "%m.profraw"))
    subprocess.run(
        ["ctest", "--test-dir", str(build), "--output-on-failure", "--no-tests=error", "-j", str(jobs), "-E", leave_out],
        check=True,
        env=environment,
    )


def merge(build):
    folder = build / "coverage"
    merged = folder / "merged.profdata"
    profiles = sorted(map(str, (folder / "profiles").glob("*.profraw")))
    subprocess.run([f"llvm-profdata-{LLVM}", "merge", "-sparse", "-o", str(merged), *profiles], check=True)
    return merged


def exports(programs, merged, jobs):
    def export(program):
        command = [f"llvm-cov-{LLVM}", "export", "-skip-functions", "-num-threads=1", f"-instr-profile={merged}", str(program)]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(export, programs)


def write_pages(build, programs, merged):
    others = [f"-object={program}" for program in programs[1:]]
    folder = build / "coverage" / "html"
    command = [f"llvm-cov-{LLVM}", "show", "-format=html", "-show-branches=count", "-show-instantiations=false"]
    command += ["-ignore-filename-regex=^/usr/|/(backends|build[^/]*/tests|models|tests)/"]
    command += [f"-output-dir={folder}", f"-instr-profile={merged}", str(programs[0]), *others]
    subprocess.run(command, check=True, capture_output=True)


def total(files, folder, what):
    shares = [reached.shares()[what] for name, reached in files.items() if name.startswith(folder + "/")]
    return sum(one for one, _ in shares), sum(all_of for _, all_of in shares)


def percent(part):
    return 100 * part[0] / part[1] if part[1] else 100.0


def row(name, parts):
    return f"{name:44}" + "".join(f"{part[0]:7} of {part[1]:5} {percent(part):6.1f} %" for part in parts)


def report(build, files):
    names = sorted({str(pathlib.Path(name).parent) for name in files} | set(FOLDERS))
    print(f"\n{'':44}{'lines':>23}{'branches':>23}")
    for name in names:
        print(row(name + "/", [total(files, name, what) for what in ASKED]))
    with open(build / "coverage" / "files.txt", "w", encoding="utf-8") as out:
        for name in sorted(files):
            print(row(name, files[name].shares().values()), file=out)
    with open(build / "coverage" / "unreached.txt", "w", encoding="utf-8") as out:
        for name in sorted(files):
            for line in sorted(line for line, reached in files[name].lines.items() if not reached):
                print(f"{name}:{line}: not run", file=out)
            for branch in sorted(branch for branch, reached in files[name].branches.items() if not reached):
                print(f"{name}:{branch[0]}:{branch[1]}: never {'true' if branch[-1] else 'false'}", file=out)
    print(f"\nBy file: {build}/coverage/files.txt; what is not reached: {build}/coverage/unreached.txt; pages: {build}/coverage/html")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder of the build")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--leave-out", default=r"\.(avx2|avx512)$", help="tests not to run: by default all but one instruction set")
    options = parser.parse_args()
    build = options.build.resolve()
    root = pathlib.Path(__file__).resolve().parents[2]
    programs = sorted(path for path in (build / "tests").glob("test_*") if path.is_file() and os.access(path, os.X_OK))

    run_tests(build, options.jobs, options.leave_out)
    merged = merge(build)
    files = collections.defaultdict(Reached)
    for export in exports(programs, merged, options.jobs):
        read(export, root, files)
    for reached in files.values():
        drop_known(reached)
    report(build, files)
    write_pages(build, programs, merged)

    low = False
    for folder in FOLDERS:
        for what, asked in ASKED.items():
            found = percent(total(files, folder, what))
            if found < asked:
                print(f"{folder}/: {found:.1f} % of {what} are reached, {asked} % are asked for", file=sys.stderr)
                low = True
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
