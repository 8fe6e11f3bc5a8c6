// What the visitor sees and does; the models are in worker.mjs.

const RATE = 16000;
const CHUNK = 512;
const at = (id) => document.getElementById(id);

const worker = new Worker("worker.mjs", { type: "module" });
const waiting = new Map();
let asked = 0;
worker.onmessage = ({ data: { id, result, problem } }) => {
  const { resolve, reject } = waiting.get(id);
  waiting.delete(id);
  problem ? reject(problem) : resolve(result);
};
worker.onerror = (event) => (at("problem").textContent = event.message);

function ask(call, given = {}) {
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage({ id: asked, call, given });
  });
}

/** Does it, and says what went wrong; where a file is missing, does it again once the visitor has chosen one. */
async function attempt(work) {
  at("problem").textContent = "";
  try {
    await work();
  } catch (problem) {
    if (!problem.missing) {
      at("problem").textContent = problem.message ?? String(problem);
      return;
    }
    const name = problem.missing;
    const choose = document.createElement("input");
    choose.type = "file";
    choose.onchange = async () => {
      await ask("have", { name, bytes: await choose.files[0].arrayBuffer() });
      at("missing").replaceChildren();
      attempt(work);
    };
    const label = document.createElement("label");
    label.append(`${name} is not beside this page; choose one: `, choose);
    at("missing").replaceChildren(label);
  }
}

at("search").onsubmit = (event) => {
  event.preventDefault();
  const texts = at("texts").value.split("\n").filter((line) => line.trim());
  at("search-note").textContent = "reading …";
  attempt(async () => {
    const { ranked, tokens, milliseconds, threads } = await ask("rank", { question: at("question").value, texts });
    at("ranked").replaceChildren(
      ...ranked.map(({ text, likeness }) => {
        const row = document.createElement("tr");
        for (const content of [likeness.toFixed(3), text]) {
          const cell = document.createElement("td");
          cell.textContent = content;
          row.append(cell);
        }
        return row;
      }),
    );
    at("search-note").textContent = `${tokens} tokens in ${milliseconds.toFixed(0)} ms, ${threads === 1 ? "one thread" : `${threads} threads`}`;
  });
};

/** Draws the probabilities, and lists where somebody speaks: from 0.5 on, until 0.35 is not reached for longer than a pause. */
class Plot {
  probabilities = [];
  add(more) {
    this.probabilities.push(...more);
    this.draw();
  }
  intervals() {
    const found = [];
    let begun = -1;
    let last = -1;
    this.probabilities.forEach((p, i) => {
      if (p >= 0.5 && begun < 0) begun = i;
      if (p >= 0.35) last = i;
      if (begun >= 0 && i - last > 4) {
        found.push([begun, last + 1]);
        begun = -1;
      }
    });
    if (begun >= 0) found.push([begun, last + 1]);
    return found.filter(([from, to]) => to - from >= 8).map((ends) => ends.map((end) => (end * CHUNK) / RATE));
  }
  draw() {
    const canvas = at("plot");
    const { width, height } = canvas;
    const pen = canvas.getContext("2d");
    const shown = this.probabilities.slice(-600);
    const step = width / Math.max(shown.length, 300);
    pen.clearRect(0, 0, width, height);
    pen.fillStyle = "#9cd3b8";
    shown.forEach((p, i) => p >= 0.5 && pen.fillRect(i * step, 0, step + 1, height));
    pen.strokeStyle = "#033";
    pen.lineWidth = 2;
    pen.beginPath();
    shown.forEach((p, i) => pen.lineTo((i + 0.5) * step, height - 4 - p * (height - 8)));
    pen.stroke();
    at("intervals").textContent = this.intervals()
      .map(([from, to]) => `${from.toFixed(2)} to ${to.toFixed(2)} s`)
      .join(", ");
  }
}

let plot = new Plot();
let stop = null;

at("sound").onchange = () =>
  attempt(async () => {
    stop?.();
    const bytes = await at("sound").files[0].arrayBuffer();
    const sound = await new OfflineAudioContext(1, 1, RATE).decodeAudioData(bytes);
    const samples = Float32Array.from(sound.getChannelData(0));
    await ask("begin");
    plot = new Plot();
    const { probabilities, milliseconds } = await ask("hear", { samples });
    plot.add(probabilities);
    window.probabilities = probabilities;
    at("sound-note").textContent = `${sound.duration.toFixed(1)} s of sound in ${milliseconds.toFixed(0)} ms`;
  });

at("listen").onclick = () => {
  if (stop) return stop();
  attempt(async () => {
    await ask("begin");
    const heard = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false, noiseSuppression: false } });
    const context = new AudioContext({ sampleRate: RATE });
    await context.audioWorklet.addModule("microphone.mjs");
    const pieces = new AudioWorkletNode(context, "pieces");
    context.createMediaStreamSource(heard).connect(pieces);
    const listening = new Plot();
    plot = listening;
    pieces.port.onmessage = async ({ data: samples }) => listening.add((await ask("hear", { samples })).probabilities);
    at("listen").textContent = "Stop";
    stop = () => {
      stop = null;
      heard.getTracks().forEach((track) => track.stop());
      context.close();
      at("listen").textContent = "Microphone";
    };
  });
};
