"""Loads a server of stories260K with clients of `wrk`, beside the same texts written as one batch, and prints what came of it.

    build/peers/bin/python bench/serve.py --build BUILD --model DIR [--clients N] [--seconds N] [--llama-server PROGRAM]

DIR holds stories260K.bin and tok512.bin of llama2.c. Every client asks for a text, and for the next as soon as it has come. The
batch runs before and after the load. llama.cpp's server, where one is named, is loaded in the same way for a minute.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PROMPT = "Once upon a time"
WRITTEN = {"server": "fovea_tokens_total", "llama-server": "llamacpp:tokens_predicted_total"}
ASKS = """
local count = 0
request = function()
  count = count + 1
  local body = string.format('{{"prompt": "{prompt}", "max_tokens": {tokens}, "temperature": 1, "seed": %d}}', count)
  return wrk.format("POST", "/v1/completions", {{["Content-Type"] = "application/json"}}, body)
end
"""


def free_port():
    with socket.socket() as to:
        to.bind(("127.0.0.1", 0))
        return to.getsockname()[1]


class Server:
    """A program that answers at a port, and what the system says of it."""

    def __init__(self, kind, words):
        self.kind, self.port = kind, free_port()
        self.process = subprocess.Popen([*words, "--port", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not self.answers():
            if self.process.poll() is not None:
                raise SystemExit(f"{words[0]} ended with status {self.process.returncode}")
            time.sleep(0.1)

    def read(self, path):
        return urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=60).read().decode()

    def answers(self):
        with contextlib.suppress(urllib.error.URLError, ConnectionError):
            return bool(self.read("/health"))
        return False

    def tokens(self):
        return float(re.search(rf"^{WRITTEN[self.kind]} (\S+)$", self.read("/metrics"), re.M)[1])

    def memory(self):
        """Of the process now, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024

    def processor(self):
        """Seconds that it has had of processors."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self):
        self.process.terminate()
        self.process.wait(60)


def loaded(server, options, seconds):
    """What clients of a server saw in so many seconds; it is told from the fifth on, when all have begun."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write(ASKS.format(prompt=PROMPT, tokens=options.tokens))
        script.flush()
        words = ["wrk", "--threads", "1", "--connections", str(options.clients), "--duration", f"{seconds}s", "--timeout", "60s", "--latency", "--script", script.name]
        load = subprocess.Popen([*words, f"http://127.0.0.1:{server.port}"], stdout=subprocess.PIPE, text=True)
        time.sleep(5)
        begun, written, worked = time.monotonic(), server.tokens(), server.processor()
        memory = []
        while load.poll() is None and time.monotonic() < begun + seconds - 6:
            memory.append(server.memory())
            time.sleep(1)
        took, written, worked = time.monotonic() - begun, server.tokens() - written, server.processor() - worked
        said = load.communicate()[0]
    broken = sum(int(count) for count in re.findall(r"(?:connect|read|write|timeout) (\d+)", said))
    refused = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    return {
        "tokens_per_second": written / took,
        "tokens_per_processor_second": written / worked,
        "requests": int(re.search(r"(\d+) requests in", said)[1]),
        "errors": broken + (int(refused[1]) if refused else 0),
        "median_latency": re.search(r"50%\s+(\S+)", said)[1],
        "99_percent_latency": re.search(r"99%\s+(\S+)", said)[1],
        "memory_after_a_minute_mib": memory[min(55, len(memory) - 1)],
        "memory_at_the_end_mib": memory[-1],
    }


def batch(options):
    """Tokens a second of the same texts as rows of one batch."""
    with tempfile.NamedTemporaryFile(suffix=".json") as rows:
        words = [options.build / "bench/serve", "--model", options.model, "--rows", options.clients, "--tokens", options.tokens, "--threads", options.threads, "--json", rows.name]
        subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)
        measured = json.load(rows)[0]
    return {key: measured[key] for key in ("tokens_per_second", "tokens_per_processor_second")}


def write_gguf(folder, path):
    """llama2.c's weights and tokenizer as llama.cpp reads them."""
    import gguf
    import numpy

    content = (folder / "stories260K.bin").read_bytes()
    width, inner, layers, heads, kv_heads, vocabulary, context = numpy.frombuffer(content, "<i4", 7).tolist()
    values, at = numpy.frombuffer(content, "<f4", offset=28), 0

    def take(*shape):
        nonlocal at
        at += int(numpy.prod(shape))
        return values[at - int(numpy.prod(shape)) : at].reshape(shape)

    kv_width = width * kv_heads // heads
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(inner)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_dimension_count(width // heads)
    writer.add_layer_norm_rms_eps(1e-5)
    words, scores, from_byte = [], [], 4
    pieces = (folder / "tok512.bin").read_bytes()
    while from_byte < len(pieces):
        score, size = numpy.frombuffer(pieces, "<f4", 1, from_byte)[0], numpy.frombuffer(pieces, "<i4", 1, from_byte + 4)[0]
        words.append(pieces[from_byte + 8 : from_byte + 8 + size].replace(b" ", "\u2581".encode()))
        scores.append(float(score))
        from_byte += 8 + int(size)
    words[:3] = [b"<unk>", b"<s>", b"</s>"]
    bytes_of = {3 + byte: f"<0x{byte:02X}>".encode() for byte in range(256)}
    kinds = [gguf.TokenType.UNKNOWN, *[gguf.TokenType.CONTROL] * 2, *[gguf.TokenType.BYTE] * 256]
    words[3:259] = [bytes_of[i] for i in range(3, 259)]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(words)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds + [gguf.TokenType.NORMAL] * (vocabulary - len(kinds)))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_tensor("token_embd.weight", take(vocabulary, width))
    for name, shape in {
        "attn_norm": [width],
        "attn_q": [width, width],
        "attn_k": [kv_width, width],
        "attn_v": [kv_width, width],
        "attn_output": [width, width],
        "ffn_norm": [width],
        "ffn_gate": [inner, width],
        "ffn_down": [width, inner],
        "ffn_up": [inner, width],
    }.items():
        for layer, one in enumerate(take(layers, *shape)):
            writer.add_tensor(f"blk.{layer}.{name}.weight", one)
    writer.add_tensor("output_norm.weight", take(width))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=128)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--llama-server")
    options = parser.parse_args()
    told = {"load_of_the_machine_before": os.getloadavg()[0], "batch": [batch(options)]}
    weights = ["--weights", str(options.model / "stories260K.bin"), "--tokenizer", str(options.model / "tok512.bin")]
    program = [str(options.build / "examples/serve_stories260K"), *weights, "--threads", str(options.threads), "--rows", str(options.clients)]
    server = Server("server", program)
    try:
        told["server"] = loaded(server, options, options.seconds)
    finally:
        server.end()
    told["batch"].append(batch(options))
    told["of_the_batch"] = {key: told["server"][key] / statistics.mean(one[key] for one in told["batch"]) for key in told["batch"][0]}
    if options.llama_server:
        with tempfile.TemporaryDirectory() as folder:
            write_gguf(options.model, f"{folder}/stories260K.gguf")
            context = 192 * options.clients
            program = [options.llama_server, "--model", f"{folder}/stories260K.gguf", "--metrics", "--threads", str(options.threads), "--parallel", str(options.clients), "--ctx-size", str(context)]
            server = Server("llama-server", program)
            try:
                told["llama-server"] = loaded(server, options, 60)
            finally:
                server.end()
    told["load_of_the_machine_after"] = os.getloadavg()[0]
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
