#!/usr/bin/env python3
"""What fovea_add_model, fovea_add_executable, fovea_add_library and fovea_add_python_module refuse where a project is configured: refused_test.py PREFIX"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

LIBRARY = "fovea_add_library(ask HEADER model.hpp MODEL ask::model"
MODULE = "fovea_add_python_module(ask HEADER model.hpp MODEL ask::model"
PROGRAM = "fovea_add_executable(ask HEADER model.hpp MODEL ask::model"
ROOT = pathlib.Path(__file__).parents[2]
(LISTED,) = re.findall(r"using all_formats = format_list<(.*?)>;", (ROOT / "weights" / "weight_format.hpp").read_text(), re.DOTALL)
FORMATS = " ".join(LISTED.split())
CASES = {
    f"{PROGRAM} APP dance)": "expected APP to be one of classify, embed, generate, score, serve, stream, tag, transcribe, translate, found 'dance'",
    f"{PROGRAM})": "fovea_add_executable(ask): APP is missing",
    f"{PROGRAM} APP embed FORMAT q9_0)": f"fovea_add_executable(ask): expected FORMAT to be one of {FORMATS}, found 'q9_0'",
    f'{LIBRARY} FORMAT "integer_products<f16>")': f"fovea_add_library(ask): expected FORMAT to be one of {FORMATS}, found 'integer_products<f16>'",
    f"{MODULE} FORMAT Q8_0)": f"fovea_add_python_module(ask): expected FORMAT to be one of {FORMATS}, found 'Q8_0'",
    **{
        f"{function}(ask HEADER modle.hpp MODEL ask::model{more})": f"{function}(ask): expected HEADER to be a file beside CMakeLists.txt or one that an include finds, found nothing at 'modle.hpp'"
        for function, more in {"fovea_add_executable": " APP embed", "fovea_add_library": "", "fovea_add_python_module": "", "fovea_add_model": ""}.items()
    },
    "fovea_add_executable(ask MODEL ask::model APP embed)": "fovea_add_executable(ask): HEADER is missing",
    f"{PROGRAM} APP embed NOISE)": "EMBED, STATIC, PACKED, PROMPT_LOOKUP; found 'NOISE'",
    f"{PROGRAM} APP embed CONTEXT many)": "expected CONTEXT to be a number of tokens, found 'many'",
    f"{PROGRAM} APP embed EMBED)": "EMBED needs WEIGHTS, the file to embed",
    f"{PROGRAM} APP embed PACKED)": "PACKED needs WEIGHTS, the file to pack",
    f"{PROGRAM} APP embed WEIGHTS model.hpp EMBED PACKED)": "fovea_add_executable(ask): expected EMBED or PACKED, found both; what is embedded is packed",
    f"set(CMAKE_CROSSCOMPILING ON)\n{PROGRAM} APP embed WEIGHTS model.hpp PACKED)": "PACKED runs a program of the target while the project is built; expected CMAKE_CROSSCOMPILING_EMULATOR to say by what, found nothing",
    f"{PROGRAM} APP embed WEIGHTS none.safetensors)": "expected WEIGHTS to be a file, found nothing at",
    f"{PROGRAM} APP embed WEIGHTS shards EMBED)": "EMBED needs WEIGHTS to be a file, found the folder",
    f"set(CMAKE_CROSSCOMPILING ON)\n{PROGRAM} APP embed WEIGHTS model.hpp EMBED)": "EMBED runs a program of the target while the project is built; expected CMAKE_CROSSCOMPILING_EMULATOR to say by what, found nothing",
    f"set(APPLE ON)\n{PROGRAM} APP embed STATIC)": "STATIC is not offered for macOS, which has its own libraries as shared ones alone",
    f"set(CMAKE_SYSTEM_NAME Darwin)\n{PROGRAM} APP serve)": "fovea_add_executable(ask): APP serve is offered on Linux; found Darwin",
    f"set(CMAKE_SYSTEM_NAME Windows)\n{MODULE})": "fovea_add_python_module(ask): Python modules are offered on Linux; found Windows",
    f"set(APPLE ON)\n{LIBRARY})": "fovea_add_library(ask): libraries for C are offered on Linux, Windows and in WebAssembly; found macOS",
    f"{PROGRAM} APP embed METADATA heads)": "expected METADATA as name=number, found 'heads'",
    f"{PROGRAM} APP embed ISA mmx)": "fovea_add_executable(ask): expected ISA to name some of",
    f"{PROGRAM} APP translate END </s>)": "fovea_add_executable(ask): APP translate needs BEGIN and END, the tokens around a translation",
    f"{PROGRAM} APP serve ROUTE pictures)": "expected ROUTE to be completions or embeddings, found 'pictures'",
    f"{PROGRAM} APP generate ROUTE completions)": "APP generate has no use for ROUTE, it takes TOKENIZER, CONTEXT, BEGIN, END, PROMPT_LOOKUP, DRAFT, DRAFT_WEIGHTS, DRAFT_FORMAT",
    f"{PROGRAM} APP score DRAFT ask::model)": "APP score has no use for DRAFT, it takes TOKENIZER, CONTEXT",
    f"{PROGRAM} APP generate DRAFT_WEIGHTS small.gguf)": "DRAFT_WEIGHTS and DRAFT_FORMAT are of a DRAFT, which is missing",
    f"{PROGRAM} APP generate DRAFT ask::model DRAFT_FORMAT q9_0)": f"fovea_add_executable(ask): expected DRAFT_FORMAT to be one of {FORMATS}, found 'q9_0'",
    f"{PROGRAM} APP generate DRAFT ask::model WEIGHTS model.hpp EMBED)": "EMBED needs DRAFT_WEIGHTS, the file to embed",
    f"{PROGRAM} APP score PROMPT_LOOKUP)": "APP score has no use for PROMPT_LOOKUP, it takes TOKENIZER, CONTEXT",
    f"{PROGRAM} APP embed TARGET_TOKENIZER t.json)": "APP embed has no use for TARGET_TOKENIZER, it takes TOKENIZER, CONTEXT",
    f"{PROGRAM} APP stream LABELS good bad)": "APP stream has no use for LABELS, it takes CONTEXT",
    f"{PROGRAM} APP embed BEGIN <s>)": "APP embed has no use for BEGIN, it takes TOKENIZER, CONTEXT",
    f"{PROGRAM} APP serve STATIC)": "APP serve cannot be STATIC, since cpp-httplib is a shared library",
    f"{PROGRAM} APP transcribe CONTEXT 448)": "APP transcribe has no use for CONTEXT, it takes TOKENIZER, GENERATION_CONFIG",
    f"{PROGRAM} APP embed GENERATION_CONFIG g.json)": "APP embed has no use for GENERATION_CONFIG, it takes TOKENIZER, CONTEXT",
    f"{PROGRAM} APP transcribe GENERATION_CONFIG none.json)": "fovea_add_executable(ask): expected GENERATION_CONFIG to be a file, found nothing at",
    f"{PROGRAM} APP transcribe STATIC)": "APP transcribe cannot be STATIC, since libsndfile is a shared library",
    "fovea_add_library(ask MODEL ask::model)": "fovea_add_library(ask): HEADER is missing",
    "fovea_add_library(a-b HEADER model.hpp MODEL ask::model)": "expected a name that C can begin names with, found 'a-b'",
    f"{LIBRARY} APP embed)": "CAPACITY, EMBED, STATIC, TOKENIZERS, WASM; found 'APP;embed'",
    **{f"{LIBRARY} CAPACITY {wrong})": f"fovea_add_library(ask): expected CAPACITY as dim=size with a size of at least 1, found '{wrong}'" for wrong in ("T", "T=0", "T=2.5")},
    f"{LIBRARY} CAPACITY B=2 T=8 B=3)": "fovea_add_library(ask): expected one CAPACITY of B, found several: B=2;T=8;B=3",
    f"{LIBRARY} WASM)": "fovea_add_library(ask): WASM needs Fovea's source, which an installed package lacks: take the clone by add_subdirectory in place of find_package",
    f"{LIBRARY} ISA mmx)": "fovea_add_library(ask): expected ISA to name some of",
    f"{LIBRARY} WEIGHTS none.safetensors)": "fovea_add_library(ask): expected WEIGHTS to be a file, found nothing at",
    "fovea_add_python_module(a-b HEADER model.hpp MODEL ask::model)": "expected a name that Python can import, found 'a-b'",
    f"{MODULE} APP serve)": "expected APP to be one of classify, embed, generate, score, stream, tag, translate, found 'serve'",
    f"{MODULE} APP translate BEGIN <s>)": "fovea_add_python_module(ask): APP translate needs BEGIN and END, the tokens around a translation",
    f"{MODULE} APP embed CONTEXT many)": "expected CONTEXT to be a number of tokens, found 'many'",
    f"{MODULE} NOISE)": "EMBED, STATIC; found 'NOISE'",
    "fovea_add_model(model HEADER model.hpp MODEL ask::model)": "expected a name that neither the header nor the model has, as in compiled_model",
    "fovea_add_model(a-b HEADER model.hpp MODEL ask::model)": "expected a C++ identifier as the name, found 'a-b'",
    "fovea_add_model(made HEADER model.hpp)": "fovea_add_model(made): MODEL is missing",
    "fovea_add_model(made HEADER model.hpp MODEL ask::model STREAMS T)": "expected HEADER, MODEL, STREAM, TRAIN and ISA, found 'STREAMS;T'",
}


class Refused(unittest.TestCase):
    prefix = ""

    def test_each_is_one_sentence(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / "shards").mkdir()
        (folder / "model.hpp").write_text("#include <fovea/dsl.hpp>\n")
        for call, sentence in CASES.items():
            lists = f"cmake_minimum_required(VERSION 3.25)\nproject(refused CXX)\nset(CMAKE_BUILD_TYPE Release)\nfind_package(fovea REQUIRED)\n{call}\n"
            (folder / "CMakeLists.txt").write_text(lists)
            # One build folder: the compiler is looked at once.
            words = ["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"]
            run = subprocess.run(words, capture_output=True, text=True, check=False)
            with self.subTest(call):
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(sentence, " ".join(run.stderr.split()))

    def test_headers_are_found_where_the_compiler_looks(self):
        folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        model = '#include <fovea/dsl.hpp>\nnamespace ask { inline constexpr auto model = fovea::model("m", [](fovea::graph& g) { g.output("y", g.input<fovea::f32>("x", {"B", 4})); }); }\n'
        for place in "beside.hpp", "more/below.hpp", "included/of_folder.hpp":
            (folder / place).parent.mkdir(exist_ok=True)
            (folder / place).write_text(model)
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(found CXX)\nset(CMAKE_BUILD_TYPE Release)\nfind_package(fovea REQUIRED)\ninclude_directories(included)\n"
            + "".join(f'fovea_add_model(m{i} HEADER {header} MODEL ask::mdoel ISA baseline)\n' for i, header in enumerate(["beside.hpp", "more/below.hpp", "of_folder.hpp", "fovea/models/bert.hpp", folder / "beside.hpp"]))
            + "fovea_add_executable(written HEADER beside.hpp MODEL ask::mdoel APP generate ISA baseline)\n"
        )
        subprocess.run(["cmake", "-S", folder, "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"], capture_output=True, check=True)
        # None of them declares ask::mdoel, and the compiler says so in these words.
        for target, call, header in ("m1", "fovea_add_model(m1)", "more/below.hpp"), ("compiled_written", "fovea_add_executable(written)", "beside.hpp"):
            run = subprocess.run(["cmake", "--build", folder / "build", "--target", f"{target}_baseline_objects"], capture_output=True, text=True, check=False)
            with self.subTest(call):
                self.assertNotEqual(run.returncode, 0)
                self.assertRegex(run.stdout + run.stderr, re.escape(f"{call}: expected HEADER {header} to declare MODEL ask::mdoel:1:") + r"\d+: error: ")


if __name__ == "__main__":
    Refused.prefix = str(pathlib.Path(sys.argv[1]).resolve())
    unittest.main(argv=sys.argv[:1])
