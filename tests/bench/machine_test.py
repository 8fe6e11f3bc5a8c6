"""bench/machine.py names machines by their processors: machine_test.py FOLDER_OF_IT"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, sys.argv[1])
import machine  # noqa: E402


def named(vendor, family, model, name, cores=2):
    told = f"processor\t: 0\nvendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: {name}\n\nprocessor\t: 1\nmodel\t: 0\n"
    return machine.name_of(machine.fields_of(told), cores)


for expected, of in {
    "amd_zen5_2_cores": ("AuthenticAMD", 26, 2, "AMD EPYC"),
    "amd_zen3_2_cores": ("AuthenticAMD", 25, 1, "AMD EPYC 7763 64-Core Processor"),
    "amd_zen4_2_cores": ("AuthenticAMD", 25, 17, "AMD EPYC 9R14"),
    "intel_sapphire_rapids_2_cores": ("GenuineIntel", 6, 143, "Intel(R) Xeon(R) Processor"),
    "intel_emerald_rapids_2_cores": ("GenuineIntel", 6, 207, "Intel(R) Xeon(R) Processor"),
    "intel_core_ultra_9_185h_2_cores": ("GenuineIntel", 6, 170, "Intel Core Ultra 9 185H"),
}.items():
    found = named(*of)
    assert found == expected, f"{of}: expected {expected}, found {found}"
assert named("AuthenticAMD", 26, 2, "AMD EPYC", 1) == "amd_zen5_1_core", "one core is no cores"
assert machine.name_of({}, 4).endswith("_4_cores"), "a processor that tells nothing has a name"


def check_commits(folder):
    root = pathlib.Path(folder)

    def git(*words):
        subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.c", *words], check=True, capture_output=True)

    for name in ("bench/results/one.json", "bench/RESULTS.md", "bench/program.cpp"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("before")
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    clean = machine.commit_of(root)
    assert "dirty" not in clean, clean
    (root / "bench/results/one.json").write_text("after")
    (root / "bench/RESULTS.md").write_text("after")
    assert machine.commit_of(root) == clean, "what a run writes is no change"
    (root / "bench/program.cpp").write_text("after")
    assert machine.commit_of(root) == f"{clean}-dirty", "a program that differs is another"


if shutil.which("git"):  # a source archive needs none
    with tempfile.TemporaryDirectory() as folder:
        check_commits(folder)
