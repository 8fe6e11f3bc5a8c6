#!/usr/bin/env python3
"""fovea new, on reference cases as checkpoints, and on folders that it refuses: new_test.py FOVEA GOLDEN CASES COMPILER FLAG...

CASES says whose numbers are checked, which the compiler makes slow: some; all of GOLDEN and its folder today/; or none.
"""

import concurrent.futures
import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import unittest

from golden_folder import read_case, write_bert_gguf, write_folder, write_gpt2_gguf, write_llama_gguf, write_tokenizer
from made_checkpoints import MADE, size, write_made
from tool_test import ToolTest
from weight_files import load_safetensors, save_gguf, save_safetensors

POOLING = {"word_embedding_dimension": 32, "pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
MODULES = [("Transformer", ""), ("Pooling", "1_Pooling"), ("Dense", "2_Dense"), ("Normalize", "3_Normalize")]
DENSE = {"in_features": 32, "out_features": 3, "bias": True, "activation_function": "torch.nn.modules.activation.Tanh"}


def floats(content):
    return struct.unpack(f"<{len(content) // 4}f", content)


def sentence_vectors(values, weight, bias):
    """The mean of the real tokens, tanh of a linear map, length 1."""
    _, (batch, time, width), content = values["output.last_hidden_state"]
    hidden, mask = floats(content), struct.unpack(f"<{batch * time}q", values["input.attention_mask"][2])
    made = []
    for b in range(batch):
        length = sum(mask[b * time : (b + 1) * time])
        mean = [sum(hidden[(b * time + t) * width + i] for t in range(length)) / length for i in range(width)]
        mapped = [math.tanh(sum(weight[o * width + i] * mean[i] for i in range(width)) + bias[o]) for o in range(len(bias))]
        norm = math.sqrt(sum(x * x for x in mapped))
        made += [x / norm for x in mapped]
    return [batch, len(bias)], made


class New(ToolTest):
    command = "new"
    golden, cases, compiler, flags = pathlib.Path(), "some", "", ()
    pool = concurrent.futures.ThreadPoolExecutor(2)

    def new(self, source, name="made"):
        return self.run_tool(name, "--from", source)

    def check(self, name="made"):
        """What the test of the project runs, with this compiler."""
        lists = (self.folder / name / "CMakeLists.txt").read_text()
        weights = re.search(r'set\(WEIGHTS "(.*)" CACHE', lists)[1]
        command = re.search(r"FOVEA_PROGRAM\} (.*?)\)\n", lists, re.DOTALL)[1]
        words = [a or b for a, b in re.findall(r'"([^"]*)"|(\S+)', command)]
        words = [word.replace("${CMAKE_CURRENT_SOURCE_DIR}", str(self.folder / name)).replace("${WEIGHTS}", weights) for word in words]
        command = [self.fovea, *words, "--json", "--compiler", self.compiler, "--", *self.flags]
        run = subprocess.run(command, capture_output=True, text=True, cwd=self.folder, check=False)
        self.assertEqual(run.returncode, 0, run.stderr + run.stdout)
        found = json.loads(run.stdout)
        self.assertEqual({one["backend"] for one in found["outputs"]}, {"simd", "reference"})
        return {one["output"] for one in found["outputs"]}

    def write_sentence_encoder(self, dense=DENSE, pooling=POOLING, modules=MODULES, case="hf_bert", change=lambda config, parameters: None):
        folder = write_folder(self.golden / f"{case}.safetensors", self.folder / "from", change)
        types = [{"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{name}"} for i, (name, path) in enumerate(modules)]
        self.write("from/modules.json", json.dumps(types))
        self.write("from/1_Pooling/config.json", json.dumps(pooling))
        self.write("from/2_Dense/config.json", json.dumps(dense))
        self.write("from/sentence_bert_config.json", '{"max_seq_length": 24, "do_lower_case": false}')
        weight, bias = [math.sin(i) / 4 for i in range(3 * 32)], [0.1, -0.2, 0.3]
        tensors = {"linear.weight": ("F32", [3, 32], weight), "linear.bias": ("F32", [3], bias)}
        save_safetensors(self.folder / "from/2_Dense/model.safetensors", tensors)
        return folder, weight, bias

    # What is written

    def test_every_case(self):
        """Each case becomes a project; its numbers are those of the library that trained it."""
        paths = sorted(self.golden.glob("hf_*.safetensors")) + sorted((self.golden / "today").glob("*.safetensors"))
        here = {"bert", "gpt2", "llama", "t5", "vit", "mamba", "rwkv", "whisper"}
        encoders = {"deberta-v2", "distilbert", "electra", "modernbert", "roberta", "xlm-roberta"}
        decoders = {"gemma2", "gemma3_text", "mamba2", "mistral", "olmoe", "phi3", "qwen2", "qwen3", "qwen3_moe"}
        known = here | encoders | decoders | {"bart", "m2m_100", "marian"}
        seen, checks = set(), {}
        for path in paths:
            case = json.loads(load_safetensors(path)[1]["case"])
            if case.get("hf_config", {}).get("model_type") not in known or path.stem == "hf_bert_384_formula":
                continue
            with self.subTest(path.stem):
                self.new(write_folder(path, self.folder / path.stem / "from"), f"{path.stem}/made")
                seen.add(case["hf_config"]["model_type"])
                if self.cases == "all":
                    checks[path.stem] = self.pool.submit(self.check, f"{path.stem}/made")
        for case, outputs in checks.items():
            with self.subTest(case):
                self.assertTrue(outputs.result() & {"logits", "hidden"})
        self.assertGreaterEqual(seen, known if (self.golden / "today/roberta.safetensors").exists() else here)

    def test_sentence_encoder(self):
        folder, weight, bias = self.write_sentence_encoder()
        values = read_case(self.golden / "hf_bert.safetensors")[1]
        shape, vectors = sentence_vectors(values, weight, bias)
        inputs = {name: one for name, one in values.items() if name.startswith("input.")}
        save_safetensors(folder / "reference.safetensors", inputs | {"output.sentence_embedding": ("F32", shape, vectors)})
        run = self.new(folder)
        self.assertEqual(run.stdout, "made: weights.safetensors, model.hpp, main.cpp, CMakeLists.txt, pyproject.toml, README.md of BertModel\n")
        self.assertEqual(run.stderr, "fovea: BertModel does not use 2 tensors of the checkpoint: pooler.dense.bias, ...\n")
        self.assertIn("pooler.dense.bias, pooler.dense.weight", (self.folder / "made/README.md").read_text())
        if self.cases != "none":
            self.assertEqual(self.check(), {"sentence"})

    def test_sentence_encoder_of_the_catalogue(self):
        path = self.golden / "today/modernbert.safetensors"
        if not path.is_file():
            return
        folder, weight, bias = self.write_sentence_encoder(case="today/modernbert", change=lambda config, parameters: config.update(architectures=["ModernBertModel"]))
        values = read_case(path)[1]
        shape, vectors = sentence_vectors(values | {"output.last_hidden_state": values["output.hidden_states.4"]}, weight, bias)
        inputs = {name: one for name, one in values.items() if name.startswith("input.")}
        save_safetensors(folder / "reference.safetensors", inputs | {"output.sentence_embedding": ("F32", shape, vectors)})
        run = self.new(folder)
        self.assertEqual(run.stderr, "fovea: ModernBertModel does not use 3 tensors of the checkpoint: head.dense.weight, ...\n")
        if self.cases == "all":
            self.assertEqual(self.check(), {"sentence"})

    def test_a_reference_without_what_transformers_fills_in(self):
        values = read_case(self.golden / "hf_bert.safetensors")[1]

        def written(*names, **more):
            folder = write_folder(self.golden / "hf_bert.safetensors", self.folder / "from")
            save_safetensors(folder / "reference.safetensors", {name: values[name] for name in names} | more)
            return folder

        self.new(written("input.ids", "output.last_hidden_state"))
        lists = (self.folder / "made/CMakeLists.txt").read_text()
        self.assertEqual(re.findall(r'--input "(.*)"', lists), ["tokens=ids", "types=zeros(ids)", "lengths=length(ids)"])
        self.new(written("input.attention_mask", "output.last_hidden_state", **{"input.tokens": values["input.ids"]}), "other")
        lists = (self.folder / "other/CMakeLists.txt").read_text()
        self.assertEqual(re.findall(r'--input "(.*)"', lists), ["types=zeros(tokens)", "lengths=count(attention_mask)"])

        def refused(*names):
            return self.refusal("none", "--from", written(*names)).replace(f"{self.folder}/", "")

        self.assertEqual(refused("input.attention_mask", "output.last_hidden_state"), "from/reference.safetensors: expected a tensor 'input.tokens', which the model takes; there is none")
        self.assertEqual(refused("input.ids"), "from/reference.safetensors: expected one of the tensors 'output.hidden', 'output.pooled', 'output.sentence', which the model gives; there is none")
        self.assertFalse((self.folder / "none").exists())

    def program(self, case, change=lambda config, parameters: None, **files):
        """What CMakeLists.txt tells of the program, of a case with a tokenizer and files beside it."""
        source = write_folder(self.golden / f"{case}.safetensors", self.folder / case / "from", change)
        write_tokenizer(source, 96)
        for name, content in files.items():
            (source / f"{name}.json").write_text(json.dumps(content))
        self.assertEqual(self.new(source, f"{case}/made").returncode, 0)
        self.assertFalse((self.folder / case / "made/main.cpp").exists())
        lists = (self.folder / case / "made/CMakeLists.txt").read_text()
        return re.search(r"(?:cmake_language\(\n  CALL fovea_add_\$\{kind\}|fovea_add_executable\()\n(.*?)\n\)\n", lists, re.DOTALL)[1].split("\n")

    def test_what_the_program_is_told(self):
        def named(config, parameters):
            config["id2label"] = {"0": "good", "1": "so; so", "2": 'a "b"'}

        lines = self.program("hf_bert_classify", named)
        self.assertEqual(lines[0], "  made HEADER model.hpp MODEL made::encoder APP classify")
        self.assertEqual(lines[1], '  WEIGHTS "${WEIGHTS}" TOKENIZER "${TOKENIZER}"')
        self.assertEqual(lines[3:], ['  LABELS "good" [[so; so]] [[a "b"]]', "  EMBED STATIC"])
        lines = self.program("hf_llama", lambda config, parameters: config.update(bos_token_id=1, eos_token_id=2), generation_config={"eos_token_id": [5, 6, 4000]})
        self.assertEqual(lines[3:], ['  BEGIN "w1"', '  END "w5" "w6"', "  EMBED STATIC"])
        lines = self.program("hf_t5", lambda config, parameters: config.update(decoder_start_token_id=0, eos_token_id=1))
        self.assertEqual(lines[0], "  made HEADER model.hpp MODEL made::translator APP translate")
        self.assertEqual(lines[3:], ['  BEGIN "w0"', '  END "w1"', "  EMBED STATIC"])
        lines = self.program("today/whisper", lambda config, parameters: None, generation_config={})
        self.assertEqual(lines[0], "  made HEADER model.hpp MODEL made::speech APP transcribe")
        self.assertEqual(lines[1], '  WEIGHTS "${WEIGHTS}" TOKENIZER "${TOKENIZER}"')
        self.assertRegex(lines[2], r'^  GENERATION_CONFIG ".*/generation_config\.json"$')
        self.assertEqual(lines[3:], ["  EMBED"])

    def test_formats(self):
        """Weights stay in the bytes of the file where a program can keep them."""

        def halved(config, parameters):
            for name, (_, shape, content) in parameters.items():
                values = struct.unpack(f"<{len(content) // 4}f", content)
                parameters[name] = ("F16", shape, struct.pack(f"<{len(values)}e", *values))

        self.assertEqual(self.program("hf_bert", halved)[3:], ["  FORMAT f16", "  EMBED STATIC"])
        lists = (self.folder / "hf_bert/made/CMakeLists.txt").read_text()
        self.assertNotIn("FORMAT f32", lists)

        zeros = {"q8_0": (8, 34), "q4_1": (3, 20)}
        for name, (stored, block) in zeros.items():
            file = self.folder / name / "model.gguf"
            write_llama_gguf(self.golden / "hf_llama.safetensors", file, "llama", lambda shape, content: (shape, bytes(len(content) // 128 * block), stored) if len(shape) == 2 else (shape, content))
            (file.parent / "reference.safetensors").unlink()
            self.new(file, f"{name}/made")
            lists = (self.folder / name / "made/CMakeLists.txt").read_text()
            self.assertEqual(re.findall(r"FORMAT (\S+)", lists), {"q8_0": ["q8_0"], "q4_1": []}[name])
            self.assertIn("EMBED STATIC", lists)

    def test_gguf(self):
        """Weights as llama.cpp's converter lays them."""
        writers = {"hf_llama": lambda *to: write_llama_gguf(*to, "llama")}
        if self.cases == "all":
            writers |= {"hf_bert": write_bert_gguf, "hf_gpt2": write_gpt2_gguf}
            cousins = {"gemma3": "gemma3", "llama3_rope": "llama", "olmoe": "olmoe", "phi3_longrope": "phi3", "qwen2": "qwen2", "qwen3": "qwen3", "qwen3_moe": "qwen3moe"}
            writers |= {f"today/{case}": lambda *to, name=name: write_llama_gguf(*to, name) for case, name in cousins.items()}
        for name, write in writers.items():
            with self.subTest(name):
                file = self.folder / name / "from" / "model.gguf"
                self.new(write(self.golden / f"{name}.safetensors", file), f"{name}/made")
                if self.cases != "none":
                    self.assertTrue(self.check(f"{name}/made") <= {"logits", "hidden"})

    def test_gguf_says_less(self):
        """What llama.cpp's files leave out: Gemma's divisor of scores, and the settings of Llama 3's rotary positions."""
        file = self.folder / "gemma2/model.gguf"
        self.new(write_llama_gguf(self.golden / "today/gemma2.safetensors", file, "gemma2"), "gemma2/made")
        header = (self.folder / "gemma2/made/model.hpp").read_text()
        for member in ("query_scalar = 16", "score_cap = 4", "logit_cap = 6", "window = 5", "period = 2", "local_base = 10000"):
            self.assertIn(f".{member},", header)

        windows = "gemma2.attention.sliding_window_pattern"  # of each layer, in other files
        write_llama_gguf(self.golden / "today/gemma2.safetensors", file, "gemma2", more={windows: [True, False]})
        self.new(file, "gemma2/by_layers")
        self.assertIn(".period = 2,", (self.folder / "gemma2/by_layers/model.hpp").read_text())
        for pattern, found in (
            ([True] * 3, "expected 2 of them, as num_hidden_layers says; found 3"),
            ([2, 3, 4], "expected a list of true and false; found 2.0 in it"),
            (["a"] * 26, 'expected a whole number from 1 to 16777216; found "an array of 26"'),
        ):
            write_llama_gguf(self.golden / "today/gemma2.safetensors", file, "gemma2", more={windows: pattern})
            self.assertEqual(self.refusal("gemma2/none", "--from", file), f"{file}: {windows}: {found}")
        write_llama_gguf(self.golden / "today/gemma2.safetensors", file, "gemma2", more={"gemma2.block_count": 1})
        self.assertEqual(self.refusal("gemma2/none", "--from", file), f"{file}: tensor 'blk.1.attn_k.weight' is none of a gemma2 with the settings of the file's keys")

        file = self.folder / "llama3/model.gguf"
        write_llama_gguf(self.golden / "today/llama3_rope.safetensors", file, "llama")
        self.new(file, "llama3/made")
        header = (self.folder / "llama3/made/model.hpp").read_text()
        self.assertIn("rope_scaling::llama3({.factor = 8, .low = 1, .high = 4, .positions = 64})", header)
        self.assertIn('"rope_freqs.weight", naming::ignored', header)
        file.write_bytes(file.read_bytes().replace(struct.pack("<f", 8), struct.pack("<f", 5)))
        refused = self.refusal("llama3/again", "--from", file)
        self.assertIn("llama3/model.gguf: tensor 'rope_freqs.weight': expected by how much Llama 3 slows each pair of features down, for a base of 10000 and 8192 or 64 positions; found other numbers", refused)

        file = self.folder / "scaled/model.gguf"
        for keys, expected in (({"rope.scaling.factor": 4.0}, "rope_scaling::linear(4)"), ({"rope.scaling.type": "none", "rope.scaling.factor": 4.0}, None)):
            write_llama_gguf(self.golden / "today/qwen3.safetensors", file, "qwen3", more={f"qwen3.{key}": value for key, value in keys.items()})
            if expected is None:
                self.assertIn("qwen3.rope.scaling.factor", self.refusal("scaled/none", "--from", file))
                continue
            self.new(file, "scaled/made")
            self.assertIn(expected, (self.folder / "scaled/made/model.hpp").read_text())
        write_llama_gguf(self.golden / "today/qwen3.safetensors", file, "qwen3", more={"qwen3.attention.layer_norm_rms_epsilon": None})
        self.assertIn("qwen3.attention.layer_norm_rms_epsilon: ", self.refusal("scaled/none", "--from", file))

    def test_project(self):
        self.new(write_folder(self.golden / "hf_gpt2.safetensors", self.folder / "from"), "my text-writer")
        made = self.folder / "my text-writer"
        self.assertEqual(sorted(os.listdir(made)), ["CMakeLists.txt", "README.md", "main.cpp", "model.hpp", "pyproject.toml"])
        self.assertIn("namespace my_text_writer {", (made / "model.hpp").read_text())
        self.assertIn("project(my_text_writer CXX)", (made / "CMakeLists.txt").read_text())
        for file in made.iterdir():
            self.assertNotRegex(file.read_text(), r"##(if|end)|\$\{[a-z]", file.name)
        for folder, space in {"linear": "linear_program", "7b": "model_7b", "_x": "model__x", "über": "model___ber"}.items():
            self.new("from", folder)
            self.assertIn(f"namespace {space} {{", (self.folder / folder / "model.hpp").read_text())
        run = self.run_tool("again", "--from", "from", "--json")
        files = ["model.hpp", "main.cpp", "CMakeLists.txt", "pyproject.toml", "README.md"]
        expected = {"folder": "again", "architecture": "GPT2LMHeadModel", "app": "generate", "model": "decoder", "files": files, "passed_over": []}
        self.assertEqual(json.loads(run.stdout), expected)

    def test_kinds_of_programs(self):
        for case, app in {"hf_bert": "embed", "hf_bert_classify": "classify", "hf_llama": "generate", "hf_t5": "translate", "hf_vit": "run", "hf_bert_mlm": "run"}.items():
            source = write_folder(self.golden / f"{case}.safetensors", self.folder / case)
            self.assertEqual(json.loads(self.run_tool(f"{case}_made", "--from", source, "--json").stdout)["app"], app)

    def test_heads_that_no_case_has(self):
        """RoBERTa's, DistilBERT's and ELECTRA's classes, with numbers made here of the network's."""
        for case, prefix, dense, last, function in (
            ("roberta", "Roberta", "classifier.dense", "classifier.out_proj", math.tanh),
            ("xlm_roberta", "XLMRoberta", "classifier.dense", "classifier.out_proj", math.tanh),
            ("distilbert", "DistilBert", "pre_classifier", "classifier", lambda x: max(x, 0)),
            ("electra", "Electra", "classifier.dense", "classifier.out_proj", lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2),
        ):
            path = self.golden / "today" / f"{case}.safetensors"
            if not path.is_file():
                continue
            for task in ("ForSequenceClassification", "ForTokenClassification", "Model"):
                with self.subTest(prefix + task):
                    folder = self.write_with_head(path, prefix + task, dense, last, function)
                    self.new(folder, f"{case}{task}/made")
                    if self.cases == "all":
                        self.assertTrue(self.check(f"{case}{task}/made") <= {"logits", "hidden"})

    def write_with_head(self, path, architecture, dense, last, function):
        """The folder of a case's network below another head, with that head's outputs as the reference."""
        values, config = read_case(path)[1:3]
        _, (batch, time, width), content = values["output.hidden_states.2"]
        hidden, classes = floats(content), 3
        maps = {name: ([math.sin(3 * i + len(name)) / 3 for i in range(out * width)], [math.cos(i) / 5 for i in range(out)]) for name, out in ((dense, width), (last, classes))}

        def mapped(name, x):
            weight, bias = maps[name]
            return [sum(weight[o * width + i] * x[i] for i in range(width)) + bias[o] for o in range(len(bias))]

        rows = [hidden[i * width : (i + 1) * width] for i in range(batch * time)]
        heads, outputs = {}, {"output.last_hidden_state": values["output.hidden_states.2"]}
        if architecture.endswith("ForSequenceClassification"):
            heads = {dense: dense, last: last}
            logits = [x for b in range(batch) for x in mapped(last, [function(y) for y in mapped(dense, rows[b * time])])]
            outputs = {"output.logits": ("F32", [batch, classes], logits)}
        elif architecture.endswith("ForTokenClassification"):
            heads = {"classifier": last}
            outputs = {"output.logits": ("F32", [batch, time, classes], [x for row in rows for x in mapped(last, row)])}

        def change(config, parameters):
            config["architectures"] = [architecture]
            table = parameters.pop("lm_head.decoder.weight", None)
            for name in [name for name in parameters if not name.startswith(("roberta.", "distilbert.", "electra."))]:
                del parameters[name]
            if table:  # which this head does not share
                parameters["roberta.embeddings.word_embeddings.weight"] = table
            for name, of in heads.items():
                weight, bias = maps[of]
                parameters[f"{name}.weight"] = ("F32", [len(bias), width], weight)
                parameters[f"{name}.bias"] = ("F32", [len(bias)], bias)

        folder = write_folder(path, self.folder / f"{path.stem}{architecture}" / "from", change)
        inputs = {name: one for name, one in values.items() if name.startswith("input.")}
        save_safetensors(folder / "reference.safetensors", inputs | outputs)
        return folder

    def test_made_checkpoints(self):
        """Architectures that no case here has: every class becomes a project of the catalogue's model in its sizes."""
        apps = {"CausalLM": "generate", "MTModel": "translate", "BartForConditionalGeneration": "translate", "M2M100ForConditionalGeneration": "run"}
        apps |= {"ForMaskedLM": "run", "ForSequenceClassification": "classify", "ForTokenClassification": "tag", "ModernBertModel": "embed", "DebertaV2Model": "embed"}
        for architecture in MADE:
            with self.subTest(architecture):
                run = self.run_tool(f"{architecture}/made", "--from", write_made(architecture, self.folder / architecture / "from"), "--json")
                (app,) = {app for end, app in apps.items() if architecture.endswith(end)}
                self.assertEqual(json.loads(run.stdout)["app"], app)
                self.assertEqual(json.loads(run.stdout)["passed_over"], [])
        lines = {
            "Gemma2ForCausalLM": ("    .window = 6,\n    .period = 2,\n    .query_scalar = 4,\n    .base = 10000,\n    .local_base = 10000,\n    .score_cap = 50,\n    .logit_cap = 0,\n    .head_norm = false,",),
            "Gemma3ForCausalLM": ("    .base = 1000000,\n    .local_base = 10000,\n    .score_cap = 0,\n    .logit_cap = 0,\n    .head_norm = true,",),
            "Phi3ForCausalLM": (
                "inline constexpr rope_divisors divisors{1, {1.5}};",
                "    .scaling = rope_scaling::longrope(divisors, {.factor = 2, .positions = 16}),\n    .window = 20,",
                "int context = 16;",
            ),
            "Qwen3MoeForCausalLM": ("#include <fovea/models/qwen3_moe.hpp>", "        .head_norm = true,\n    },\n    .experts = 3,\n    .active = 2,\n    .normalised = true,\n"),
            "OlmoeForCausalLM": ("#include <fovea/models/olmoe.hpp>", "        .whole_norm = true,\n    },\n"),
            "Mamba2ForCausalLM": ("    .head_width = 4,\n    .groups = 1,\n    .state = 3,\n    .window = 4,\n    .tied = true,\n",),
            "BartForConditionalGeneration": ("models::bart_scores(x, words)", "        .activation = models::activation::gelu,\n    },\n    .vocab = 10,\n    .context = 16,\n"),
            "M2M100ForConditionalGeneration": ("matmul(x, transpose(words))", "        .norm_first = true,\n", "    .padding = 1,\n"),
            "ModernBertForSequenceClassification": ('linear(mean_of(x, lengths), "predict.dense"', "constexpr int classes = 3;", "    .window = 4,\n    .period = 3,\n"),
            "DebertaV2Model": ("sentence = unit(sentence);", "    .buckets = 8,\n    .reach = 16,\n"),
        }
        for architecture, expected in lines.items():
            model = (self.folder / architecture / "made/model.hpp").read_text()
            for line in expected:
                self.assertIn(line, model, architecture)
        if self.cases != "none":
            self.check_parameters()

    def check_parameters(self):
        """Each model of the made checkpoints is well-formed, and has as many parameters as its file has numbers."""
        lines, claims = [], []
        for architecture, (_, shapes) in MADE.items():
            # What is computed, and another copy of the table of token vectors, are none.
            numbers = sum(size(shape) for name, shape in shapes.items() if not (name.endswith(".weights") or name == "decoder.weight"))
            if architecture == "MarianMTModel":
                numbers -= sum(size(shape) for name, shape in shapes.items() if "embed_positions" in name)
            header = self.folder / architecture / "made/model.hpp"
            (model,) = re.findall(r"inline constexpr auto (decoder|encoder|translator) = ", header.read_text())
            space = f"of_{architecture}"
            header.write_text(header.read_text().replace("namespace made {", f"namespace {space} {{"))
            lines.append(f'#include "{header}"')
            claims.append(f"static_assert({space}::{model}.parameters() == {numbers});")
        source = self.write("all.cpp", "\n".join(lines + claims))
        run = subprocess.run([self.compiler, *self.flags, "-Wall", "-Wextra", "-fsyntax-only", source], capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr + run.stdout, "")

    def test_other_ways_to_say_the_same(self):
        """Settings of newer and older files, and tensors as transformers 5 keeps them."""

        def model(architecture, change):
            self.doCleanups()
            self.setUp()
            self.new(write_made(architecture, self.folder / "from", change))
            return (self.folder / "made/model.hpp").read_text()

        def by_kind(config, shapes):
            for key in ("rope_theta", "rope_local_base_freq", "sliding_window_pattern"):
                del config[key]
            config["layer_types"] = ["full_attention", "full_attention"]
            config["rope_parameters"] = {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 5e5}, "sliding_attention": {"rope_type": "default", "rope_theta": 2e4}}

        text = model("Gemma3ForCausalLM", by_kind)
        self.assertIn("    .period = 1,\n", text)
        self.assertIn("    .base = 500000,\n    .local_base = 20000,\n", text)
        self.assertIn("    .scaling = rope_scaling::linear(8),\n", text)

        def joined(config, shapes):
            for i in range(2):
                at = f"model.layers.{i}.mlp.experts."
                for name in [name for name in shapes if name.startswith(at)]:
                    del shapes[name]
                shapes |= {f"{at}gate_up_proj": [3, 12, 8], f"{at}down_proj": [3, 8, 6]}
            config["num_local_experts"] = config.pop("num_experts")

        self.assertIn("    .experts = 3,\n", model("Qwen3MoeForCausalLM", joined))
        text = model("Mamba2ForCausalLM", lambda config, shapes: config.update(time_step_limit=[0.0, {"__float__": "Infinity"}]))
        self.assertIn("    .state = 3,\n", text)

        def types(config, shapes):
            del config["global_attn_every_n_layers"]
            config.update(layer_types=["full_attention", "sliding_attention", "full_attention"], local_rope_theta=None)

        self.assertIn("    .period = 2,\n    .base = 160000,\n    .local_base = 160000,\n", model("ModernBertModel", types))

        def convolved(config, shapes):
            config.update(conv_kernel_size=3, conv_act="gelu", pos_att_type=["c2p", "p2c"])
            shapes.update({"deberta.encoder.conv.conv.weight": [8, 8, 3], "deberta.encoder.conv.conv.bias": [8]})
            shapes.update({"deberta.encoder.conv.LayerNorm.weight": [8], "deberta.encoder.conv.LayerNorm.bias": [8]})

        self.assertIn("    .convolution = 3,\n", model("DebertaV2Model", convolved))
        text = model("Phi3ForCausalLM", lambda config, shapes: config.update(rope_scaling=None, original_max_position_embeddings=32))
        self.assertNotIn("divisors", text)
        self.assertIn("int context = 32;", text)

    def test_a_token_that_translations_are_made_to_begin_with(self):
        """A program begins with one token: where another has to follow it, the project has a program of the user's."""

        def app(**settings):
            self.doCleanups()
            self.setUp()
            source = write_made("BartForConditionalGeneration", self.folder / "from", lambda config, shapes: config.update(settings))
            return json.loads(self.run_tool("made", "--from", source, "--json").stdout)["app"]

        self.assertEqual(app(forced_bos_token_id=0), "run")
        self.assertEqual(app(force_bos_token_to_be_generated=True), "run")
        self.assertEqual(app(forced_bos_token_id=None, force_bos_token_to_be_generated=False), "translate")
        self.write("from/generation_config.json", '{"forced_bos_token_id": 0}')
        self.assertEqual(json.loads(self.run_tool("again", "--from", "from", "--json").stdout)["app"], "run")

    def test_heads_of_the_catalogue_that_no_case_has(self):
        """ModernBERT's and DeBERTa's classes, with numbers made here of the network's."""
        for case, prefix in (("modernbert", "ModernBert"), ("deberta_v2", "DebertaV2")):
            path = self.golden / "today" / f"{case}.safetensors"
            if not path.is_file():
                continue
            for task in ("ForSequenceClassification", "ForTokenClassification", "Model"):
                with self.subTest(prefix + task):
                    self.new(self.write_with_catalogue_head(path, prefix, task), f"{case}{task}/made")
                    if self.cases == "all":
                        self.assertTrue(self.check(f"{case}{task}/made") <= {"logits", "hidden"})

    def write_with_catalogue_head(self, path, prefix, task):
        """The folder of a case's network below another head, with that head's outputs as the reference."""
        values, config = read_case(path)[1:3]
        name = f"output.hidden_states.{config['num_hidden_layers']}"
        _, (batch, time, width), content = values[name]
        hidden, classes, modern = floats(content), 3, prefix == "ModernBert"
        dense, last = [math.sin(3 * i) / 3 for i in range(width * width)], [math.cos(i) / 3 for i in range(classes * width)]
        dense_bias, last_bias, scale = [math.cos(i) / 5 for i in range(width)], [0.1, -0.2, 0.3], [1 + math.sin(i) / 4 for i in range(width)]
        rows = [hidden[i * width : (i + 1) * width] for i in range(batch * time)]

        def mapped(weight, bias, x):
            return [sum(weight[o * width + i] * x[i] for i in range(width)) + (bias[o] if bias else 0) for o in range(len(weight) // width)]

        def gelu(x):
            return [y * (1 + math.erf(y / math.sqrt(2))) / 2 for y in x]

        def head(x):  # of ModernBERT, for texts and tokens
            y = gelu(mapped(dense, None, x))
            mean = sum(y) / width
            spread = math.sqrt(sum((one - mean) ** 2 for one in y) / width + 1e-5)
            return [(one - mean) / spread * factor for one, factor in zip(y, scale)]

        heads, outputs = {"classifier.weight": ([classes, width], last), "classifier.bias": ([classes], last_bias)}, {}
        if task == "Model":
            heads, outputs = {}, {"output.last_hidden_state": values[name]}
        elif modern:
            heads |= {"head.dense.weight": ([width, width], dense), "head.norm.weight": ([width], scale)}
        elif task == "ForSequenceClassification":
            heads |= {"pooler.dense.weight": ([width, width], dense), "pooler.dense.bias": ([width], dense_bias)}
        if task == "ForSequenceClassification":
            firsts = [rows[b * time] for b in range(batch)]
            pooled = [head(x) if modern else gelu(mapped(dense, dense_bias, x)) for x in firsts]
            outputs = {"output.logits": ("F32", [batch, classes], [x for one in pooled for x in mapped(last, last_bias, one)])}
        elif task == "ForTokenClassification":
            outputs = {"output.logits": ("F32", [batch, time, classes], [x for row in rows for x in mapped(last, last_bias, head(row) if modern else row)])}

        def change(config, parameters):
            config["architectures"] = [prefix + task]
            for name in [name for name in parameters if not name.startswith(("model.", "deberta."))]:
                del parameters[name]
            parameters.update({name: ("F32", *one) for name, one in heads.items()})

        folder = write_folder(path, self.folder / f"{path.stem}{task}" / "from", change)
        inputs = {name: one for name, one in values.items() if name.startswith("input.")}
        save_safetensors(folder / "reference.safetensors", inputs | outputs)
        return folder

    # What is refused

    def refused(self, case, change):
        """The sentence about a case's folder after change(config, parameters), without the path."""
        write_folder(self.golden / f"{case}.safetensors", self.folder / "from", change)
        sentence = self.refusal("made", "--from", "from")
        self.assertFalse((self.folder / "made").exists())
        return sentence.replace(f"{self.folder}/from/", "")

    def with_setting(self, case, **values):
        return self.refused(case, lambda config, parameters: config.update(values))

    def test_settings_that_are_refused(self):
        for case, values, sentence in (
            ("hf_bert", {"novelty": [1, 2]}, "config.json: novelty: this setting of a BertModel is not known; found [1,2]"),
            ("hf_bert", {"hidden_act": "tanh"}, "config.json: hidden_act: expected 'gelu', 'gelu_new', 'gelu_pytorch_tanh', 'relu', 'silu'; found 'tanh'"),
            ("hf_bert", {"position_embedding_type": "relative_key"}, "config.json: position_embedding_type: expected 'absolute'; found 'relative_key'"),
            ("hf_bert", {"is_decoder": True}, "config.json: is_decoder: expected false; found true"),
            ("hf_bert", {"num_attention_heads": 5}, "config.json: num_attention_heads: expected a divisor of hidden_size 32; found 5"),
            ("hf_bert", {"num_hidden_layers": 0}, "config.json: num_hidden_layers: expected a whole number from 1 to 16777216; found 0"),
            ("hf_bert", {"num_hidden_layers": 1e300}, "config.json: num_hidden_layers: expected a whole number from 1 to 16777216; found 1e+300"),
            ("hf_bert", {"hidden_size": 2**31}, "config.json: hidden_size: expected a whole number from 1 to 32768; found 2147483648"),
            ("hf_bert", {"layer_norm_eps": "small"}, 'config.json: layer_norm_eps: expected a number above 0; found "small"'),
            ("hf_bert", {"hidden_size": None}, "config.json: hidden_size: expected this setting; there is none"),
            ("hf_bert", {"quantization_config": {"bits": 4}}, "config.json: quantization_config: this setting of a BertModel is not known; found object"),
            ("hf_bert_classify", {"id2label": {"0": "a"}}, "config.json: id2label: expected 3 labels, as the tensor 'classifier.weight' has rows; found 1"),
            ("hf_gpt2", {"scale_attn_by_inverse_layer_idx": True}, "config.json: scale_attn_by_inverse_layer_idx: expected false; found true"),
            ("hf_gpt2", {"activation_function": "quick_gelu"}, "config.json: activation_function: expected 'gelu_new', 'gelu_pytorch_tanh', 'gelu', 'relu', 'silu'; found 'quick_gelu'"),
            ("hf_llama", {"rope_parameters": {"rope_type": "longrope", "rope_theta": 1e4, "factor": 8.0}}, "config.json: rope_parameters: rope_type: expected 'default', 'linear', 'llama3', 'yarn'; found 'longrope'"),
            ("hf_llama", {"rope_scaling": {"type": "dynamic", "factor": 2.0}}, "config.json: rope_scaling: type: expected 'default', 'linear', 'llama3', 'yarn'; found 'dynamic'"),
            ("hf_llama", {"rope_scaling": {"rope_type": "linear", "type": "dynamic", "factor": 2.0}}, 'config.json: rope_scaling: type: expected "linear"; found "dynamic"'),
            ("hf_llama", {"rope_scaling": {"type": "linear"}}, "config.json: rope_scaling: factor: expected this setting; there is none"),
            ("hf_llama", {"rope_scaling": {"factor": 2.0}}, "config.json: rope_scaling: factor: this setting of a rotary position is not known; found 2.0"),
            ("hf_llama", {"rope_theta": 5e5}, "config.json: rope_parameters: rope_theta: expected 500000, as rope_theta beside it says; found 10000"),
            ("hf_llama", {"num_key_value_heads": 3}, "config.json: num_key_value_heads: expected a divisor of num_attention_heads 4; found 3"),
            ("hf_llama", {"use_sliding_window": True, "sliding_window": 4}, "config.json: use_sliding_window: expected false: a window of some layers alone is not known; found true"),
            ("hf_llama", {"layer_types": ["full_attention", "sliding_attention"]}, "config.json: layer_types: expected every layer to be of full_attention; found 'sliding_attention'"),
            ("hf_t5", {"num_decoder_layers": 3}, "config.json: num_decoder_layers: expected 2, as the encoder has; found 3"),
            ("hf_t5", {"feed_forward_proj": "gated-silu"}, "config.json: feed_forward_proj: expected 'relu', 'gated-gelu'; found 'gated-silu'"),
            ("today/whisper", {"decoder_attention_heads": 2}, "config.json: decoder_attention_heads: expected 4; found 2"),
            ("today/whisper", {"scale_embedding": True}, "config.json: scale_embedding: expected false; found true"),
            ("hf_vit", {"patch_size": 5}, "config.json: patch_size: expected a divisor of image_size 16; found 5"),
            ("hf_vit", {"qkv_bias": False}, "config.json: qkv_bias: expected true; found false"),
            ("hf_mamba", {"intermediate_size": 40}, "config.json: intermediate_size: expected 48, expand times hidden_size; found 40"),
            ("hf_mamba", {"use_bias": True}, "config.json: use_bias: expected false; found true"),
            ("hf_rwkv", {"attention_hidden_size": 12}, "config.json: attention_hidden_size: expected 24; found 12"),
        ):
            with self.subTest(values):
                self.assertEqual(self.with_setting(case, **values), sentence)
        unknown = self.with_setting("hf_bert", architectures=["BertForQuestionAnswering"])
        self.assertEqual(unknown, "config.json: architectures: expected one of the 50 classes of docs/new.md, such as BertForMaskedLM, BertForPreTraining, BertForSequenceClassification, BertForTokenClassification, BertLMHeadModel, BertModel; found 'BertForQuestionAnswering'")

    def made_refused(self, architecture, change):
        write_made(architecture, self.folder / "from", change)
        sentence = self.refusal("made", "--from", "from")
        self.assertFalse((self.folder / "made").exists())
        return sentence.replace(f"{self.folder}/from/", "")

    def test_settings_of_made_checkpoints_that_are_refused(self):
        gemma2, gemma3, phi3, qwen, olmoe, mamba2 = (f"{name}ForCausalLM" for name in ("Gemma2", "Gemma3", "Phi3", "Qwen3Moe", "Olmoe", "Mamba2"))
        bart, m2m100, modernbert, deberta = "BartForConditionalGeneration", "M2M100ForConditionalGeneration", "ModernBertModel", "DebertaV2Model"
        sliding, full = "sliding_attention", "full_attention"
        for architecture, values, sentence in (
            (gemma2, {"hidden_activation": "silu"}, "hidden_activation: expected 'gelu_pytorch_tanh'; found 'silu'"),
            (gemma2, {"layer_types": [full, sliding]}, "layer_types: expected full_attention for layer 1, of a period of 1; found 'sliding_attention'"),
            (gemma2, {"layer_types": [sliding]}, "layer_types: expected 2 of them, as num_hidden_layers says; found 1"),
            (gemma2, {"rope_scaling": {"type": "linear", "factor": 2.0}}, "rope_scaling: expected plain positions in windows; found rope_scaling::linear(2)"),
            (gemma2, {"novelty": 3}, "novelty: this setting of a Gemma2ForCausalLM is not known; found 3"),
            (gemma3, {"use_bidirectional_attention": True}, "use_bidirectional_attention: expected false; found true"),
            (gemma3, {"rope_parameters": {sliding: {"rope_type": "default"}, full: {"rope_type": "dynamic", "factor": 2.0}}}, "rope_parameters: full_attention: rope_type: expected 'default', 'linear', 'llama3', 'yarn'; found 'dynamic'"),
            (phi3, {"partial_rotary_factor": 0.75}, "partial_rotary_factor: expected 1.0; found 0.75"),
            (phi3, {"rope_scaling": {"type": "longrope", "short_factor": [1.0, 2.0], "long_factor": [1.0]}}, "rope_scaling: short_factor: expected a list of 1 numbers above 0; found 2 of them"),
            (phi3, {"rope_scaling": {"type": "longrope", "short_factor": 1.0, "long_factor": [1.0]}}, "rope_scaling: short_factor: expected a list of 1 numbers above 0; found 1.0"),
            (phi3, {"rope_scaling": {"type": "longrope", "short_factor": [1.0], "long_factor": [1.0], "attention_factor": 2.0}}, "rope_scaling: attention_factor: this setting of a rotary position is not known; found 2.0"),
            (phi3, {"head_dim": 258}, "head_dim: expected at most 256 with longrope; found 258"),
            (phi3, {"rope_theta": float("inf")}, 'rope_theta: expected a number above 0; found "Infinity"'),
            (phi3, {"original_max_position_embeddings": 64}, "original_max_position_embeddings: expected at least 2 and at most max_position_embeddings 32; found 64"),
            (qwen, {"mlp_only_layers": [1]}, "mlp_only_layers: expected []; found [1]"),
            (qwen, {"decoder_sparse_step": 2}, "decoder_sparse_step: expected 1; found 2"),
            (qwen, {"num_experts_per_tok": 4}, "num_experts_per_tok: expected at most num_experts 3; found 4"),
            (olmoe, {"clip_qkv": 8.0}, "clip_qkv: expected null; found 8.0"),
            (mamba2, {"num_heads": 5}, "num_heads: expected 4 heads of head_dim 4, expand times hidden_size 16 in all; found 5"),
            (mamba2, {"n_groups": 3}, "n_groups: expected a divisor of num_heads 4; found 3"),
            (mamba2, {"time_step_limit": [0.0, 0.1]}, 'time_step_limit: expected [0.0,"Infinity"]; found [0.0,0.1]'),
            (bart, {"scale_embedding": True}, "scale_embedding: expected false; found true"),
            (bart, {"decoder_layers": 3}, "decoder_layers: expected 2; found 3"),
            (bart, {"activation_function": "tanh"}, "activation_function: expected 'gelu', 'gelu_new', 'relu', 'silu', 'swish'; found 'tanh'"),
            ("MarianMTModel", {"scale_embedding": None}, "scale_embedding: expected true; there is none"),
            ("MarianMTModel", {"share_encoder_decoder_embeddings": False}, "share_encoder_decoder_embeddings: expected true; found false"),
            (m2m100, {"normalize_before": False}, "normalize_before: expected true; found false"),
            (modernbert, {"norm_bias": True}, "norm_bias: expected false; found true"),
            (modernbert, {"num_hidden_layers": 1}, "num_hidden_layers: expected at least 2; found 1"),
            (modernbert, {"layer_types": [sliding, sliding, full]}, "layer_types: expected full_attention for layer 0, of a period of 2; found 'sliding_attention'"),
            (modernbert, {"rope_parameters": {full: {"rope_type": "linear", "factor": 2.0}}}, "rope_parameters: expected plain positions; found rope_scaling::linear(2)"),
            (modernbert, {"classifier_pooling": "max"}, "classifier_pooling: expected 'cls', 'mean'; found 'max'"),
            (deberta, {"share_att_key": None}, "share_att_key: expected true; there is none"),
            (deberta, {"relative_attention": False}, "relative_attention: expected true; found false"),
            (deberta, {"pos_att_type": "c2p"}, "pos_att_type: expected c2p and p2c; found 'c2p'"),
            (deberta, {"conv_kernel_size": 4}, "conv_kernel_size: expected an odd number; found 4"),
            (deberta, {"conv_kernel_size": 3}, 'conv_act: expected "gelu"; there is none'),
            (deberta, {"position_buckets": 7}, "position_buckets: expected an even number from 4 on, the half of it below max_position_embeddings 16 less 1; found 7"),
        ):
            with self.subTest(architecture=architecture, values=values):
                self.assertEqual(self.made_refused(architecture, lambda config, shapes, values=values: config.update(values)), f"config.json: {sentence}")

    def test_tensors_of_made_checkpoints_that_are_refused(self):
        """Of every class, each tensor is missing, or has a row more; or there is one more."""
        computed = ("embed_positions.weight", "embed_positions.weights")  # which the file need not have
        for architecture, (_, shapes) in MADE.items():
            for name, shape in shapes.items():
                may_be_missing = name == "decoder.weight" or (name.endswith(computed) and architecture != "BartForConditionalGeneration")
                called = "classifier.bias" if name == "classifier.weight" else name  # the weight says how many classes there are
                with self.subTest(architecture=architecture, name=name):
                    if not may_be_missing:
                        self.assertIn(f"{name}'; ", self.made_refused(architecture, lambda config, shapes, name=name: shapes.pop(name)))
                    if not name.endswith(computed) or architecture == "BartForConditionalGeneration":
                        longer = [shape[0] + 1, *shape[1:]]
                        found = self.made_refused(architecture, lambda config, shapes, name=name, longer=longer: shapes.update({name: longer}))
                        self.assertRegex(found, rf"^model\.safetensors: tensor '{called}' is \[.*\]; expected \[.*\] by config\.json$")
            found = self.made_refused(architecture, lambda config, shapes: shapes.update({"novelty": [1]}))
            self.assertEqual(found, f"model.safetensors: tensor 'novelty' is none of a {architecture} with the settings of config.json")
        untied = self.made_refused("Mamba2ForCausalLM", lambda config, shapes: config.update(tie_word_embeddings=False))
        self.assertEqual(untied, "config.json: tie_word_embeddings: expected true, as there is no tensor 'lm_head.weight'; found false")

    def test_tensors_that_are_refused(self):
        def change(name, one):
            return lambda config, parameters: parameters.pop(name) if one is None else parameters.update({name: one})

        for case, name, one, sentence in (
            ("hf_bert", "encoder.layer.1.output.dense.weight", ("F32", [32, 63], [0.0] * 2016), "is [32, 63]; expected [32, 64] by config.json"),
            ("hf_bert", "encoder.layer.2.output.dense.bias", ("F32", [1], [0.0]), "is none of a BertModel with the settings of config.json"),
            ("hf_gpt2", "transformer.wpe.weight", ("F32", [63, 32], [0.0] * 2016), "is [63, 32]; expected [64, 32] by config.json"),
            ("hf_llama", "model.layers.0.self_attn.q_proj.bias", ("F32", [32], [0.0] * 32), "is none of a LlamaForCausalLM with the settings of config.json"),
            ("hf_bert_classify", "classifier.weight", ("F32", [], [0.0]), "is []; expected an axis"),
            ("hf_rwkv", "head.weight", ("F32", [64, 23], [0.0] * 64 * 23), "is [64, 23]; expected [64, 24] by config.json"),
        ):
            with self.subTest(name):
                self.assertEqual(self.refused(case, change(name, one)), f"model.safetensors: tensor '{name}' {sentence}")
        for case, name in (("hf_t5", "decoder.block.1.layer.1.EncDecAttention.k.weight"), ("hf_mamba", "backbone.layers.0.mixer.D"), ("today/whisper", "model.decoder.layers.1.encoder_attn.k_proj.weight"), ("hf_vit", "vit.layernorm.bias")):
            self.assertEqual(self.refused(case, change(name, None)), f"model.safetensors: expected a tensor '{name}'; there is none")
        self.assertEqual(
            self.refused("hf_llama", lambda config, parameters: parameters.pop("lm_head.weight")),
            "config.json: tie_word_embeddings: expected true, as there is no tensor 'lm_head.weight'; found false",
        )

    def test_modules_that_are_refused(self):
        def refused(**parts):
            self.write_sentence_encoder(**parts)
            return self.refusal("made", "--from", "from").replace(f"{self.folder}/from/", "")

        module = [*MODULES[:1], ("LSTM", "1_LSTM")]
        self.assertEqual(refused(modules=module), "modules.json: expected modules of Pooling, Dense and Normalize; found 'sentence_transformers.models.LSTM'")
        self.assertEqual(refused(modules=MODULES[1:]), "modules.json: expected a Transformer as the first module; found 'sentence_transformers.models.Pooling'")
        self.assertEqual(refused(modules=[*MODULES[:1], ("Normalize", "")]), "modules.json: expected a module Pooling behind the Transformer")
        self.assertEqual(
            refused(modules=[*MODULES[:1], ("Pooling", "../1_Pooling")]), "modules.json: expected the path of a module inside the folder; found '../1_Pooling'"
        )
        weighted = POOLING | {"pooling_mode_mean_tokens": False, "pooling_mode_weightedmean_tokens": True}
        self.assertEqual(
            refused(pooling=weighted),
            "1_Pooling/config.json: pooling_mode_weightedmean_tokens: expected pooling by mean_tokens, cls_token or max_tokens; found pooling_mode_weightedmean_tokens",
        )
        self.assertEqual(
            refused(pooling=POOLING | {"pooling_mode_cls_token": True}),
            "1_Pooling/config.json: pooling_mode_mean_tokens: expected one way of pooling; found this beside pooling_mode_cls_token",
        )
        self.assertEqual(refused(pooling=POOLING | {"word_embedding_dimension": 8}), "1_Pooling/config.json: word_embedding_dimension: expected 32, the network's width; found 8")
        self.assertEqual(refused(pooling=POOLING | {"sharpness": 2}), "1_Pooling/config.json: sharpness: this setting of a pooling is not known; found 2")
        self.assertEqual(refused(dense=DENSE | {"in_features": 16}), "2_Dense/config.json: in_features: expected 32, the width before it; found 16")
        self.assertEqual(
            refused(dense=DENSE | {"activation_function": "torch.nn.Softsign"}),
            "2_Dense/config.json: activation_function: expected Tanh, Identity, ReLU or GELU; found 'torch.nn.Softsign'",
        )
        self.assertRegex(refused(dense=DENSE | {"out_features": 4}), r"tensor '2_Dense\.linear\.weight' is \[3, 32\]; expected \[4, 32\] by config\.json$")

    def test_files_that_are_refused(self):
        def refused(source="from"):
            return self.refusal("made", "--from", source).replace(f"{self.folder}/", "")

        self.assertEqual(refused("none"), "there is no none")
        self.write("file.bin", "x")
        self.assertEqual(refused("file.bin"), "file.bin: expected a folder of Hugging Face, or a GGUF file")
        (self.folder / "from").mkdir()
        self.assertEqual(refused(), "from: expected the folder to hold config.json, as those of Hugging Face do")
        self.write("from/config.json", "{}")
        self.assertEqual(refused(), 'from/config.json: architectures: expected the name of a class, as in ["BertModel"]; there is none')
        self.write("from/config.json", '{"architectures": "BertModel"}')
        self.assertEqual(refused(), 'from/config.json: architectures: expected a list of texts; found "BertModel"')
        self.write("from/config.json", '{"architectures": ["CLIPModel"]}')
        self.assertEqual(refused(), "from/config.json: architectures: expected one of the 50 classes of docs/new.md; found 'CLIPModel'")
        self.write("from/config.json", '{"architectures": ["BertModel"]}')
        self.assertEqual(refused(), "from: expected the folder to hold model.safetensors or model.safetensors.index.json")
        self.write("from/config.json", "[]")
        self.assertEqual(refused(), "from/config.json: expected an object of settings; found []")
        self.write("from/config.json", '{"architectures": ')
        self.assertRegex(refused(), r"^from/config\.json: .+")
        save_gguf(self.folder / "w.gguf", {"general.name": "x"}, {"a": ([1], b"\0\0\0\0")})
        self.assertEqual(refused("w.gguf"), "w.gguf: expected the key 'general.architecture'; there is none")
        save_gguf(self.folder / "w.gguf", {"general.architecture": "starcoder"}, {"a": ([1], b"\0\0\0\0")})
        self.assertEqual(refused("w.gguf"), "w.gguf: general.architecture: expected one of bert, gemma2, gemma3, gpt2, llama, olmoe, phi3, qwen2, qwen3, qwen3moe; found 'starcoder'")
        write_llama_gguf(self.golden / "hf_llama.safetensors", self.folder / "g/w.gguf", "llama")
        content = (self.folder / "g/w.gguf").read_bytes().replace(b"llama.rope.freq_base", b"llama.rope.freq_bass")
        self.write("g/w.gguf", content)
        self.assertEqual(refused("g/w.gguf"), "g/w.gguf: llama.rope.freq_bass: this setting of a llama is not known; found 10000.0")
        write_folder(self.golden / "hf_llama.safetensors", self.folder / "from")
        self.write("made/mine", "mine")
        self.assertEqual(refused(), "made: expected a folder that is not there yet, or is empty")
        self.assertEqual(os.listdir(self.folder / "made"), ["mine"])


if __name__ == "__main__":
    New.fovea, New.golden, New.cases = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    New.compiler, New.flags = sys.argv[4], sys.argv[5:]
    unittest.main(argv=sys.argv[:1])
