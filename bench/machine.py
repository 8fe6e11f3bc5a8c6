"""The machine on which rows are measured: what it is, and its name, by which bench/results/NAME.json keeps them."""

import datetime
import os
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
SETS = ("avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16", "amx_tile")
# By vendor and family: the first models of a design, in order.
DESIGNS = {
    ("AuthenticAMD", 23): [(0x00, "amd_zen"), (0x30, "amd_zen2")],
    ("AuthenticAMD", 25): [(0x00, "amd_zen3"), (0x10, "amd_zen4"), (0x20, "amd_zen3"), (0x60, "amd_zen4")],
    ("AuthenticAMD", 26): [(0x00, "amd_zen5")],
    ("GenuineIntel", 6): [(0, "intel"), (85, "intel_skylake"), (86, "intel"), (106, "intel_ice_lake"), (107, "intel"),
                          (143, "intel_sapphire_rapids"), (144, "intel"), (173, "intel_granite_rapids"), (175, "intel"),
                          (207, "intel_emerald_rapids"), (208, "intel")],
}


def first_line(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0].strip()


def fields_of(told):
    """Of the first processor in a text like /proc/cpuinfo."""
    pairs = (line.split(":", 1) for line in told.split("\n\n")[0].splitlines() if ":" in line)
    return {name.strip(): value.strip() for name, value in pairs}


def name_of(fields, cores):
    """`amd_zen5_2_cores`; of a design that is not known here what the processor calls itself."""
    vendor, family, model = fields.get("vendor_id"), int(fields.get("cpu family", 0)), int(fields.get("model", 0))
    known = [design for first, design in DESIGNS.get((vendor, family), []) if first <= model]
    told = known[-1] if known and known[-1] != "intel" else re.sub(r"\W+", "_", fields.get("model name", os.uname().machine)).strip("_").lower()
    return f"{told}_{cores}_core{'s' if cores > 1 else ''}"


def here():
    return fields_of(pathlib.Path("/proc/cpuinfo").read_text())


# What a run writes itself, below the repository: a second run is still of the same commit.
WRITTEN = ("bench/results", "bench/machines", "bench/pictures", "bench/RESULTS.md")


def commit_of(root):
    """`1a2b3c4d`, and `1a2b3c4d-dirty` where a file that a program or a script is made of is not as committed."""
    commit = first_line("git", "-C", str(root), "describe", "--always", "--exclude", "*")
    others = [f":(exclude){path}" for path in WRITTEN]
    changed = subprocess.run(["git", "-C", str(root), "status", "--porcelain", "--untracked-files=no", "--", ".", *others],
                             capture_output=True, text=True, check=True).stdout
    return f"{commit}-dirty" if changed else commit


def measured_on():
    """What a run keeps of the machine beside its rows."""
    fields = here()
    return {
        "processor": f"{fields.get('model name', os.uname().machine)}, family {fields.get('cpu family')}, model {fields.get('model')}",
        "instructions": [flag for flag in SETS if flag in fields.get("flags", "").split()],
        "cores": os.cpu_count(),
        "compiler": first_line("g++", "--version"),
        "commit": commit_of(HERE.parent),
        "date": datetime.date.today().isoformat(),
    }
