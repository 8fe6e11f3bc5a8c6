
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
    if (this.#of.call("finish", as_size(positions, "positions")) !== 0) this.#of.wasm.fail();
    return this.#of.results();
  }
  reset(row) {
    if (this.#of.call("reset", as_size(row, "row")) !== 0) this.#of.wasm.fail();
  }
  position(row) {
    return Number(this.#of.call("position", as_size(row, "row")));
  }
  copy() {
    return new Stream(this.#of.copy());
  }
  close() {
    this.#of.close();
  }
}
