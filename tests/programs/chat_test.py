#!/usr/bin/env python3
"""Programs that answer by the chat templates of their tokenizers: chat_test.py WRITER GENERATE TALK"""

import json
import os
import pathlib
import pty
import shutil
import struct
import subprocess
import sys
import unittest

try:
    import jinja2
except ImportError:  # the templates here are held against it where it is installed
    jinja2 = None

from server import SHAPES, WORDS, Serving, drawn_weights
from weight_files import save_gguf  # beside server's own helpers

FOLDER = pathlib.Path(__file__).parent
CHAT = "/v1/chat/completions"
# Ends with [SEP], as the tokenizer ends a text: a completion of the same words reads the same tokens.
TEMPLATE = """{{ bos_token }}{% for m in messages %}
{{ ' one ' if m.role == 'user' else ' two ' if m.role == 'assistant' else ' three ' if m.role == 'system' else ' four ' }}{{ m.content }}
{%- endfor %}
{%- if messages[-1].content == 'stop' or silent %}{{ raise_exception('Nobody says stop') }}{% endif %}
{%- if loud %} five{% endif %}
{%- if tools %} {{ tools | map(attribute='function.name') | join(' ') }}{% endif %}
{%- if messages[-1].tool_calls %}{% for k, v in messages[-1].tool_calls[0].function.arguments.items() %} {{ k }} {{ v }}{% endfor %}{% endif %}
{%- if add_generation_prompt %} [SEP]{% endif %}
"""
USER = {"role": "user", "content": "two"}
DRAWN = {"temperature": 2, "seed": 5, "max_tokens": 40}  # as different as their prompts
AS_DRAWN = ["--temperature", "2", "--seed", "5"]


def sentence_piece(tokens):
    """A model of SentencePiece (unigram) of some words behind its unknown piece, its begin and its end."""

    def message(field, content):
        return bytes([field << 3 | 2, len(content)]) + content

    def piece(text, kind):
        return message(1, message(1, text.encode()) + b"\x15" + struct.pack("<f", -1) + bytes([3 << 3, kind]))

    return b"".join(piece(*token) for token in tokens)


def tool(name):
    return {"type": "function", "function": {"name": name, "parameters": {}}}


class Chat(Serving):
    talk = ""

    def setUp(self):
        super().setUp()
        self.tokenizer = self.folder / "tokenizer.json"
        shutil.copy(FOLDER / "words.json", self.tokenizer)
        self.weights = drawn_weights(self.folder / "weights.safetensors", SHAPES)

    def config(self, **members):
        (self.folder / "tokenizer_config.json").write_text(json.dumps({"bos_token": "[CLS]"} | members))

    def server(self, *options):
        return self.started(self.writer, "--tokenizer", str(self.tokenizer), *options)

    def alike(self, server, words, **asked):
        """A conversation is answered as the text is gone on with that its template makes."""
        asked = {"messages": [USER]} | asked
        chat = server.post(CHAT, **DRAWN, **asked)
        text = server.post("/v1/completions", prompt=words, **DRAWN)
        self.assertEqual(chat["choices"][0]["message"]["content"], text["choices"][0]["text"])
        self.assertEqual(chat["usage"]["prompt_tokens"], text["usage"]["prompt_tokens"])

    def refused(self, server, **asked):
        status, _, said = server.ask("POST", CHAT, asked)
        self.assertEqual(status, 400, said)
        return json.loads(said)["error"]["message"]

    def test_the_template_beside_the_tokenizer_is_used(self):
        self.config(chat_template=TEMPLATE)
        server = self.server()
        self.alike(server, "one two")  # [CLS] once, and not by the tokenizer again
        self.alike(server, "three five one two", messages=[{"role": "system", "content": "five"}, USER])
        self.alike(server, "three five one two", messages=[{"role": "developer", "content": "five"}, USER])
        self.alike(server, "one two two five one one", messages=[USER, {"role": "assistant", "content": "five"}, {"role": "user", "content": "one"}])
        self.alike(server, "one two three", messages=[{"role": "user", "content": [{"type": "text", "text": "two"}, {"type": "text", "text": " three"}]}])
        self.assertRaises(AssertionError, self.alike, server, "one three")
        self.alike(server, "one two five", chat_template_kwargs={"loud": True})
        self.alike(server, "one two", chat_template_kwargs={"loud": False})

    def test_where_templates_are_found(self):
        self.config(chat_template="{{ bos_token }} five [SEP]")
        (self.folder / "chat_template.jinja").write_text(TEMPLATE)
        self.alike(self.server(), "one two")
        other = self.folder / "other.jinja"
        other.write_text("{{ bos_token }} four {{ messages[0].content }} [SEP]\n")
        self.alike(self.server("--chat-template", str(other)), "four two")
        self.alike(self.server("--chat-template", str(self.folder / "tokenizer_config.json")), "five")
        self.alike(self.server("--chat", "plain"), "user: two\nassistant:")
        (self.folder / "chat_template.jinja").unlink()
        self.config()
        self.alike(self.server(), "user: two\nassistant:")
        self.alike(self.server("--chat", "chatml"), "<|im_start|>user\ntwo<|im_end|>\n<|im_start|>assistant\n")

    def test_a_gguf_file_has_its_template(self):
        def written(**more):
            file = self.folder / "words.gguf"
            keys = {"model": "bert", "tokens": ["[UNK]", "[CLS]", "[SEP]", *("\u2581" + word for word in WORDS)], "token_type": [3, 3, 3, 1, 1, 1, 1, 1]}
            keys |= {"bos_token_id": 1, "cls_token_id": 1, "seperator_token_id": 2, "unknown_token_id": 0}
            save_gguf(file, {f"tokenizer.ggml.{key}": value for key, value in keys.items()} | more, {})
            return file

        self.tokenizer = written(**{"tokenizer.chat_template": TEMPLATE})
        server = self.server()
        self.alike(server, "one two")
        whole = server.post(CHAT, messages=[USER], **DRAWN)["choices"][0]["message"]["content"].split()
        for key in ("eos", "eot"):
            self.tokenizer = written(**{"tokenizer.chat_template": TEMPLATE, f"tokenizer.ggml.{key}_token_id": WORDS.index(whole[3]) + 3})
            choice = self.server().post(CHAT, messages=[USER], **DRAWN)["choices"][0]
            self.assertEqual((choice["message"]["content"].split(), choice["finish_reason"]), (whole[: whole.index(whole[3])], "stop"))

    def test_special_tokens_are_read_by_tokenizers_that_read_none_in_texts(self):
        self.config(chat_template=TEMPLATE)
        right = self.server().post(CHAT, messages=[USER], **DRAWN)
        self.tokenizer = self.folder / "tokenizer.model"
        self.tokenizer.write_bytes(sentence_piece([("[UNK]", 2), ("[CLS]", 3), ("[SEP]", 3), *(("\u2581" + word, 1) for word in WORDS)]))
        found = self.server().post(CHAT, messages=[USER], **DRAWN)
        self.assertEqual(found["usage"], right["usage"])
        text = found["choices"][0]["message"]["content"].replace("\u2047", "")  # how SentencePiece spells what is unknown
        self.assertEqual(text.split(), right["choices"][0]["message"]["content"].split())

    def test_tools_are_put_where_the_template_takes_them(self):
        self.config(chat_template=TEMPLATE)
        server = self.server()
        tools = [tool("five"), tool("four")]
        self.alike(server, "one two five four", tools=tools)
        self.alike(server, "one two five four", tools=tools, tool_choice="auto")
        for none in ([], None):
            self.alike(server, "one two", tools=none)
        self.alike(server, "one two", tools=tools, tool_choice="none")
        call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"two": "one", "one": "five"}'}}
        self.alike(server, "one two two None two one one five", messages=[USER, {"role": "assistant", "tool_calls": [call]}])
        self.alike(server, "one two two five", messages=[USER, {"role": "assistant", "content": "five", "tool_calls": None}])
        self.alike(server, "one two four five", messages=[USER, {"role": "tool", "content": "five", "tool_call_id": "a"}])
        self.assertEqual(self.refused(server, messages=[USER], tools=tools, tool_choice="required"), 'tool_choice: this is not supported; found "required"')
        self.assertEqual(self.refused(server, messages=[USER], tools={"a": 1}), "tools: expected a list of tools; found object")
        for wrong in (1, [1], [{}], [{"function": {"name": "f", "arguments": "{"}}]):
            self.assertTrue(self.refused(server, messages=[USER, {"role": "assistant", "content": None, "tool_calls": wrong}]).startswith("messages: expected calls of tools, each a function with its name and arguments in JSON; found "))

        self.config(chat_template="{{ bos_token }} {{ messages[0].content }} [SEP]")
        server = self.server()
        self.alike(server, "two")
        self.assertEqual(self.refused(server, messages=[USER], tools=tools), "tools: expected none, since the model's chat template takes none; found 2")

        self.config(chat_template=[{"name": "default", "template": TEMPLATE}, {"name": "tool_use", "template": "{{ bos_token }} {{ (tools | tojson).split('\"')[1] }} [SEP]"}])
        server = self.server()
        self.alike(server, "one two")
        # What a tool says of itself stays in its order.
        self.alike(server, "four", tools=[{"four": 1, "five": 2}])
        self.alike(server, "five", tools=[{"five": 1, "four": 2}])

    def test_what_a_template_does_not_take_is_told_by_its_sentence(self):
        self.config(chat_template=TEMPLATE + "{{ messages[0].name.first if messages[0].content == 'name' }}")
        server = self.server()
        self.assertEqual(self.refused(server, messages=[{"role": "user", "content": "stop"}]), "messages: Nobody says stop")
        self.assertEqual(self.refused(server, messages=[{"role": "user", "content": "name"}]), "messages: expected a value with the member 'first'; found name, which is undefined")
        for kwargs, found in ((1, "1"), ([1], "[1]"), ("a", '"a"')):
            self.assertEqual(self.refused(server, messages=[USER], chat_template_kwargs=kwargs), "chat_template_kwargs: expected an object; found " + found)
        self.assertTrue(self.refused(server, messages=[{"role": "user", "content": None}]).startswith("messages: expected contents that are texts; found "))
        plain = self.server("--chat", "plain")
        self.assertEqual(self.refused(plain, messages=[{"role": "king", "content": "one"}]), "messages: expected the roles system, developer, user and assistant; found king")
        self.assertEqual(self.refused(plain, messages=[{"role": "assistant", "tool_calls": []}]), "messages: expected contents that are texts; the assistant has another")

    def test_what_ends_an_answer(self):
        self.config(chat_template=TEMPLATE)
        asked = {"messages": [USER]} | DRAWN
        whole = self.server().post(CHAT, **asked)["choices"][0]["message"]["content"].split()
        last = whole[3]
        short = (whole[: whole.index(last)], "stop")

        def answer(server):
            choice = server.post(CHAT, **asked)["choices"][0]
            pieces = [event["choices"][0] for event in server.events(CHAT, **asked)]
            self.assertEqual("".join(piece["delta"].get("content", "") for piece in pieces), choice["message"]["content"])
            return choice["message"]["content"].split(), choice["finish_reason"]

        self.config(chat_template=TEMPLATE, eos_token={"content": last})
        server = self.server()
        self.assertEqual(answer(server), short)
        text = server.post("/v1/completions", prompt="one two", **DRAWN)["choices"][0]["text"]
        self.assertEqual(text.split(), whole)  # a text that is no conversation goes on
        self.config(chat_template=TEMPLATE, eos_token="[UNK]")  # which is not printed
        self.assertEqual(answer(self.server())[1], "stop")
        # What is no token ends it as a text.
        self.config(chat_template=TEMPLATE, eos_token=" " + last + " " + whole[whole.index(last) + 1])
        self.assertEqual(answer(self.server()), short)
        self.config(chat_template=TEMPLATE)
        generation = self.folder / "generation_config.json"
        for ids in (WORDS.index(last) + 3, [99, WORDS.index(last) + 3]):
            generation.write_text(json.dumps({"eos_token_id": ids}))
            self.assertEqual(answer(self.server()), short)
            self.assertEqual([line["generated"].split() for line in self.said(["two"])], [short[0]])

    def test_a_template_that_cannot_be_read_keeps_a_server_from_beginning(self):
        self.config(chat_template="\n{% include 'x' %}")
        missing = self.folder / "none.jinja"
        for options, expected in (
            ([], f"tiny_writer: {self.folder}/tokenizer_config.json:2: expected the tag if, for, set, macro, filter, generation, break, continue or raw; found 'include'; --chat and --chat-template take another form\n"),
            (["--chat", "loud"], "tiny_writer: --chat: expected plain, chatml, llama2 or llama3; found 'loud'\n"),
            (["--chat-template", str(missing)], f"tiny_writer: {missing}: cannot open: No such file or directory\n"),
            (["--chat-template", str(missing), "--chat", "plain"], "tiny_writer: --chat-template: expected no form of --chat beside it; found 'plain'\n"),
        ):
            run = subprocess.run([self.writer, "--weights", self.weights, "--tokenizer", self.tokenizer, *options], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((run.returncode, run.stderr), (2, expected))
        self.alike(self.server("--chat", "plain"), "user: two\nassistant:")

    @unittest.skipIf(jinja2 is None, "jinja2 is not installed")
    def test_prompts_are_those_of_jinja2(self):
        environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
        environment.globals["raise_exception"] = None
        talks = [[USER], [{"role": "system", "content": "one one"}, USER], [USER, {"role": "assistant", "content": ""}, {"role": "user", "content": "five\nfour"}]]
        self.config(chat_template=TEMPLATE)
        server = self.server()
        for messages in talks:
            for tools in (None, [tool("four")]):
                text = environment.from_string(TEMPLATE).render(messages=messages, tools=tools, bos_token="[CLS]", add_generation_prompt=True)
                self.alike(server, text.removeprefix("[CLS]").removesuffix("[SEP]"), messages=messages, tools=tools)

    # The program that prints.

    def talked(self, turns, *options, form=(), drawn=AS_DRAWN):
        words = [self.generate, "--weights", self.weights, "--tokenizer", self.tokenizer, "--context", "64", *drawn, "--chat", *form, *options]
        return subprocess.run(words, input="".join(turn + "\n" for turn in turns), capture_output=True, text=True, timeout=60, check=False)

    def said(self, turns, *options, **more):
        run = self.talked(turns, "--json", *options, **more)
        self.assertEqual(run.returncode, 0, run.stderr)
        return [json.loads(line) for line in run.stdout.splitlines()]

    def test_lines_are_the_turns_of_one_conversation(self):
        self.config(chat_template=TEMPLATE, eos_token="[SEP]")
        server = self.server()
        for system in ([], ["--system", "five"]):
            turns = ["two", "", "three one", "four"]
            answers = self.said(turns, *system, "--tokens", "5")
            self.assertEqual([line["text"] for line in answers], ["two", "three one", "four"])
            messages = [{"role": "system", "content": system[1]}] if system else []
            for line in answers:
                messages.append({"role": "user", "content": line["text"]})
                right = server.post(CHAT, messages=messages, **DRAWN | {"max_tokens": 5})["choices"][0]
                self.assertEqual(line["generated"], right["message"]["content"])
                self.assertEqual(line["ended"], {"length": "length", "stop": "end"}[right["finish_reason"]])
                messages.append({"role": "assistant", "content": line["generated"].strip()})
            plain = self.talked(turns, *system, "--tokens", "5")
            self.assertEqual(plain.stdout, "".join(line["generated"] + "\n" for line in answers))
        lines = self.folder / "turns.jsonl"
        lines.write_text('{"id": 7, "say": "two"}\n')
        told = self.said([], "--tokens", "5", "--prompts", str(lines), "--field", "say")[0]
        self.assertEqual((told["id"], told["generated"]), (7, self.said(["two"], "--tokens", "5")[0]["generated"]))

    def test_named_forms_and_what_is_refused(self):
        self.config(chat_template=TEMPLATE)
        server = self.server("--chat", "llama3")
        right = server.post(CHAT, messages=[USER], **DRAWN | {"max_tokens": 3})["choices"][0]["message"]["content"]
        self.assertEqual(self.said(["two"], "--tokens", "3", form=["llama3"])[0]["generated"], right)
        options = {"--weights": self.weights, "--tokenizer": self.tokenizer, "--context": "64"}
        words = [self.generate, *(word for pair in options.items() for word in pair)]
        for more, turns, expected in (
            (["--chat", "loud"], "", "tiny_generate: --chat: expected plain, chatml, llama2 or llama3; found 'loud'\n"),
            (["--chat", "plain", "one"], "", None),
            (["--system", "one"], "", None),
            (["--chat-template", "x"], "", None),
            (["--chat-template-kwargs", "{}"], "", None),
            (["--chat", "--chat-template-kwargs", '{"silent": true}'], "two\n", f"tiny_generate: {self.folder}/tokenizer_config.json:4: Nobody says stop\n"),
            (["--chat", "--chat-template-kwargs", "[1]"], "", "tiny_generate: --chat-template-kwargs: expected an object in JSON, as in {\"enable_thinking\": false}; found '[1]'\n"),
            (["--chat"], "stop\n", f"tiny_generate: {self.folder}/tokenizer_config.json:4: Nobody says stop\n"),
            (["--chat"], "one " * 70 + "\n", "tiny_generate: standard input:1: the text has 73 tokens; expected fewer than 64, the context of the model\n"),
            (["--chat"], "one\n" * 90, None),
        ):
            run = subprocess.run([*words, *more], input=turns, capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((run.returncode, run.stderr.count("\n")), (2, 1), (more, run))
            if expected:
                self.assertEqual(run.stderr, expected)

    def test_a_terminal_is_asked_turn_by_turn(self):
        self.config(chat_template=TEMPLATE)
        expected = [line["generated"] for line in self.said(["two", "three"], "--tokens", "5")]
        above, below = pty.openpty()
        words = [self.generate, "--weights", self.weights, "--tokenizer", self.tokenizer, "--context", "64", *AS_DRAWN, "--tokens", "5", "--chat"]
        process = subprocess.Popen(words, stdin=below, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)  # which comes first
        self.addCleanup(os.close, above)
        os.close(below)
        self.assertEqual(process.stderr.read(2), b"> ")
        for turn, answer in zip(("two", "three"), expected):
            os.write(above, turn.encode() + b"\n")
            self.assertEqual(process.stdout.readline().decode(), answer + "\n")  # before the next is typed
            self.assertEqual(process.stderr.read(2), b"> ")
        os.write(above, b"\x04")
        said, told = process.communicate(timeout=60)
        self.assertEqual((process.returncode, said), (0, b""))
        self.assertRegex(told, rb"^\n(tiny_generate: \d+ tokens a second\n)?$")

    def test_a_program_has_its_template_in_it(self):
        template = (pathlib.Path(self.talk).parent / "talk" / "chat_template.jinja").read_text()
        self.assertIn(template.encode(), pathlib.Path(self.talk).read_bytes())
        (self.folder / "other.jinja").write_text(template)
        self.weights = FOLDER / "generate.safetensors"
        longer = 0
        for seed in range(8):
            drawn = ["--temperature", "2", "--seed", str(seed)]
            built = subprocess.run([self.talk, "--chat", "--json", *drawn], input="two\n", capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual(built.returncode, 0, built.stderr)
            told, options = json.loads(built.stdout), ["--chat-template", str(self.folder / "other.jinja")]
            self.config(eos_token="five")
            self.assertEqual([told], self.said(["two"], *options, drawn=drawn))
            self.config()
            longer += self.said(["two"], *options, drawn=drawn)[0]["tokens"] > told["tokens"]
        self.assertGreater(longer, 0)


if __name__ == "__main__":
    Serving.writer, Serving.generate, Chat.talk = sys.argv[1:4]
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
