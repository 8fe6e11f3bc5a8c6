#!/usr/bin/env python3
"""A project that fovea new writes, installed by pip: project_test.py PREFIX GOLDEN PACKAGES

PACKAGES is a new folder for what pip installs.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PREFIX, GOLDEN, PACKAGES = map(pathlib.Path, sys.argv[1:4])
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent / "tools"))
from golden_folder import write_folder, write_tokenizer  # noqa: E402
from weight_files import load_safetensors  # noqa: E402

import numpy  # noqa: E402

TYPES = {"F32": numpy.float32, "I64": numpy.int64, "I32": numpy.int32}


class Project(unittest.TestCase):
    def test_an_encoder_is_installed_and_gives_its_reference(self):
        with tempfile.TemporaryDirectory() as place:
            source = write_folder(GOLDEN / "hf_bert.safetensors", pathlib.Path(place) / "from")
            write_tokenizer(source, 96)
            made = pathlib.Path(place) / "encoder_of_golden"
            subprocess.run([PREFIX / "bin" / "fovea", "new", made, "--from", source], check=True)
            pip = [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--target", PACKAGES, made]
            subprocess.run(pip, check=True, env={**os.environ, "CMAKE_PREFIX_PATH": str(PREFIX)})
            tensors, _ = load_safetensors(source / "reference.safetensors")
        # What is installed holds its weights, and needs nothing of what it was made from.
        sys.path.insert(0, str(PACKAGES))
        import encoder_of_golden

        def values(name):
            dtype, shape, content = tensors[name]
            return numpy.frombuffer(content, TYPES[dtype]).reshape(shape)

        tokens, mask = values("input.ids"), values("input.attention_mask")
        model = encoder_of_golden.Model()
        found = model(tokens=tokens, types=values("input.token_type_ids"), lengths=mask.sum(1))
        right = values("output.last_hidden_state")
        inside = mask.astype(bool)
        numpy.testing.assert_allclose(found["hidden"][inside], right[inside], rtol=1e-4, atol=1e-5)
        self.assertEqual(model.embed(["w5 w6", "w7"]).shape, (2, right.shape[-1]))
        self.assertIn("tokens: int32 [B, T]", encoder_of_golden.Model.__doc__)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
