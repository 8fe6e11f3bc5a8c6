// What a microphone hears, in pieces of 512 samples.
class Pieces extends AudioWorkletProcessor {
  piece = new Float32Array(512);
  filled = 0;
  process([[samples]]) {
    for (const sample of samples ?? []) {
      this.piece[this.filled++] = sample;
      if (this.filled < this.piece.length) continue;
      this.port.postMessage(this.piece.slice());
      this.filled = 0;
    }
    return true;
  }
}
registerProcessor("pieces", Pieces);
