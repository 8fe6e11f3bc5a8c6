"""A module of PyTorch in ExecuTorch, its linear layers by XNNPACK in eight bits: weights by output, what they multiply by call."""

import copy

import peer
import runtimes
import torch

executorch, torchao = map(peer.installed, ("executorch.runtime", "torchao"))
EXECUTORCH = executorch and peer.called("executorch", peer.version_of("executorch"))


def made(module, inputs):
    """The bytes of the program for the shapes of the inputs."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackDynamicallyQuantizedPartitioner, XnnpackPartitioner
    from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config
    from executorch.exir import to_edge_transform_and_lower
    from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

    config = get_symmetric_quantization_config(is_per_channel=True, is_dynamic=True)
    quantizer = XNNPACKQuantizer().set_operator_type(torch.ops.aten.linear.default, config)
    prepared = prepare_pt2e(torch.export.export(module, inputs).module(), quantizer)
    prepared(*inputs)
    exported = torch.export.export(convert_pt2e(prepared), inputs)
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackDynamicallyQuantizedPartitioner(), XnnpackPartitioner()]).to_executorch().buffer


def by_executorch(module, inputs, threads):
    file = runtimes.kept_file("pte", module, inputs, "executorch")
    if not file.exists():
        with torch.inference_mode(False), torch.no_grad():
            file.write_bytes(made(copy.deepcopy(module), tuple(x.clone() for x in inputs)))
    from executorch.extension.pybindings import _C

    _C._unsafe_reset_threadpool(threads)
    program = executorch.Runtime.get().load_program(file)
    method = program.load_method("forward")
    return lambda: method.execute(inputs)[0]
