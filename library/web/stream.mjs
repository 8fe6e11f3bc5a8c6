
class Stream {
  #of;
  constructor(handle) {
    this.#of = handle;
    this.stride = Number(handle.wasm.call("stream_stride"));
    this.latency = Number(handle.wasm.call("stream_latency"));
  }
  begin(inputs) {
    this.#of.pass("begin", inputs);
  }
  step(inputs) {
    this.#of.pass("step", inputs);
    return this.#of.results();
  }
  finish(positions) {
    if (this.#of.call("finish", positions) !== 0) this.#of.wasm.fail();
    return this.#of.results();
  }
  reset(row) {
    if (this.#of.call("reset", row) !== 0) this.#of.wasm.fail();
  }
  position(row) {
    return Number(this.#of.call("position", row));
  }
  copy() {
    const { wasm, kind, weights, outputs } = this.#of;
    return new Stream(new Handle(wasm, kind, this.#of.call("copy"), weights, outputs));
  }
  close() {
    this.#of.close();
  }
}
