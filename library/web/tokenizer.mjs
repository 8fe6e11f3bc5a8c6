
class Tokenizer {
  #wasm;
  #handle;
  constructor(wasm, file) {
    this.#wasm = wasm;
    const bytes = as_bytes(file, "tokenizer");
    const place = wasm.take_bytes(bytes);
    this.#handle = wasm.call("tokenizer_open_bytes", place, bytes.length);
    wasm.give(place);
    if (this.#handle === 0) wasm.fail();
  }
  #call(name, bytes, ...values) {
    if (this.#handle === 0) throw new Error("expected an open tokenizer; found a closed one");
    const place = this.#wasm.take_bytes(bytes);
    try {
      return this.#wasm.call("tokenizer_" + name, this.#handle, place, ...values);
    } finally {
      this.#wasm.give(place);
    }
  }
  encode(text, { most = 0 } = {}) {
    const bytes = this.#wasm.encoder.encode(text);
    const [tokens, count] = this.#wasm.count_of((count) => this.#call("encode", bytes, bytes.length, most, count));
    if (tokens === 0) this.#wasm.fail();
    return new Int32Array(this.#wasm.exports.memory.buffer, tokens, count).slice();
  }
  decode(tokens) {
    const ids = Int32Array.from(tokens);
    const text = this.#call("decode", as_bytes(ids), ids.length);
    if (text === 0) this.#wasm.fail();
    return this.#wasm.text(text);
  }
  close() {
    if (this.#handle !== 0 && !this.#wasm.is_closed) this.#wasm.call("tokenizer_close", this.#handle);
    this.#handle = 0;
  }
}
