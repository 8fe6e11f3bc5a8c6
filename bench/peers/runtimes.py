"""A module of PyTorch as others run it: ONNX Runtime, OpenVINO, AOTInductor. A runtime that is not installed, or whose output
is not PyTorch's, gives no rows.

What runs a module gives its first output.
"""

import copy
import hashlib
import io
import pathlib
import tempfile

import numpy
import peer
import torch

onnxruntime, openvino = map(peer.installed, ("onnxruntime", "openvino"))
OPENVINO = openvino and peer.called("openvino", openvino.__version__.split("-")[0])
INDUCTOR = peer.called("aot_inductor", torch.__version__)


def cosine(made, known):
    made, known = (torch.as_tensor(x if torch.is_tensor(x) else numpy.array(x)).double().flatten() for x in (made, known))
    return float(made @ known / (made.norm() * known.norm()))


def run_of(timed, make, known, least=0.9999):
    """What `make` gives, where it can be made and gives what is known; where not it is told, and None."""
    try:
        run = make()
        found = cosine(run(), known)
    except RuntimeError as failure:
        print(f"{timed.__name__}: expected a run, found {str(failure).strip().splitlines()[-1]}: its row is left out", flush=True)
        return None
    if found >= least:
        return run
    print(f"{timed.__name__}: expected a cosine of {least} to PyTorch's output, found {found:.6f}: its row is left out", flush=True)
    return None


def onnx_graph(module, inputs, **recorded):
    """The bytes of the graph that TorchScript records."""
    file = io.BytesIO()
    torch.onnx.export(module, inputs, file, opset_version=17, dynamo=False, **recorded)
    return file.getvalue()


def onnx_session(graph, threads):
    """A session of ONNX Runtime, with all its optimisations."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    return onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])


def by_onnx(session, inputs):
    feed = {told.name: x.numpy() for told, x in zip(session.get_inputs(), inputs)}
    return lambda: session.run(None, feed)[0]


def openvino_model(model, threads, precision="f32"):
    """A compiled model of OpenVINO, which would round to bfloat16 by itself; `model` may be the bytes of a graph."""
    core = openvino.Core()
    if isinstance(model, bytes):
        model = core.read_model(model)
    return core.compile_model(model, "CPU", {"PERFORMANCE_HINT": "LATENCY", "NUM_STREAMS": 1, "INFERENCE_NUM_THREADS": threads,
                                             "INFERENCE_PRECISION_HINT": precision})


def by_openvino(compiled, inputs):
    """Reads the inputs where they lie, and leaves the output where it is."""
    request = compiled.create_infer_request()
    for i, x in enumerate(inputs):
        request.set_input_tensor(i, openvino.Tensor(x.numpy(), shared_memory=True))

    def run():
        request.infer(share_outputs=True)
        return request.get_output_tensor(0).data

    return run


def recorded_ways(module, inputs, threads, **recorded):
    """What reads a recorded graph: each peer that is installed, with what makes its run."""
    graph = onnx_graph(module, inputs, **recorded)
    if onnxruntime:
        yield onnxruntime, lambda: by_onnx(onnx_session(graph, threads), inputs)
    if openvino:
        yield OPENVINO, lambda: by_openvino(openvino_model(graph, threads), inputs)


def kept_file(kind, module, inputs, *told):
    """Where what was compiled of a module for some shapes is kept, below the folder for what is temporary."""
    key = hashlib.sha256(repr((module, torch.__version__, *told, [(x.shape, x.dtype) for x in inputs])).encode())
    for name, values in module.state_dict().items():
        key.update(name.encode() + values.numpy().tobytes())
    folder = pathlib.Path(tempfile.gettempdir()) / "fovea_peers"
    folder.mkdir(exist_ok=True)
    return folder / f"{key.hexdigest()[:24]}.{kind}"


def by_inductor(module, inputs, threads):
    """What AOTInductor has compiled for these shapes with max-autotune."""
    file = kept_file("pt2", module, inputs, threads)
    if not file.exists():
        with torch.inference_mode(False), torch.no_grad():
            exported = torch.export.export(copy.deepcopy(module), tuple(x.clone() for x in inputs))
            torch._inductor.aoti_compile_and_package(exported, package_path=str(file), inductor_configs={"max_autotune": True, "freezing": True})
    compiled = torch._inductor.aoti_load_package(str(file))
    first = lambda made: made if torch.is_tensor(made) else made[0]
    return lambda: first(compiled(*inputs))


def runs_of(module, x, threads, inductor=True):
    """Each peer on a module of one input and one output in float32, with what runs it."""
    known = module(x)
    ways = [*recorded_ways(module, (x,), threads, input_names=["x"]), (torch, lambda: lambda: module(x))]
    if inductor:
        ways.append((INDUCTOR, lambda: by_inductor(module, (x,), threads)))
    for timed, make in ways:
        if run := run_of(timed, make, known):
            yield timed, run
