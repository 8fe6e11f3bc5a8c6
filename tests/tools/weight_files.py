"""Weight files as tests write them: safetensors and GGUF, by their published layouts."""

import json
import struct

SIZES = {"F32": "f", "F64": "d", "I64": "q", "I32": "i", "U8": "B", "BOOL": "B"}


def packed(dtype, values):
    return struct.pack(f"<{len(values)}{SIZES[dtype]}", *values)


def save_safetensors(path, tensors, metadata=None):
    """Of tensors by name, each (dtype, shape, bytes or values)."""
    header, data = ({"__metadata__": metadata} if metadata else {}), b""
    for name, (dtype, shape, values) in sorted(tensors.items()):
        content = values if isinstance(values, bytes) else packed(dtype, values)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def load_safetensors(path):
    """Its tensors as save_safetensors takes them, and its metadata."""
    content = path.read_bytes()
    (length,) = struct.unpack("<Q", content[:8])
    header, data = json.loads(content[8 : 8 + length]), content[8 + length :]
    metadata = header.pop("__metadata__", {})
    return {name: (one["dtype"], one["shape"], data[slice(*one["data_offsets"])]) for name, one in header.items()}, metadata


def gguf_text(text):
    return struct.pack("<Q", len(text.encode())) + text.encode()


def gguf_value(value):
    """A key's type and value."""
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, list):
        number, form = {bool: (7, "?"), int: (5, "i"), float: (6, "f"), str: (8, "")}[type(value[0])]
        each = b"".join(map(gguf_text, value)) if number == 8 else struct.pack(f"<{len(value)}{form}", *value)
        return struct.pack("<IIQ", 9, number, len(value)) + each
    return struct.pack("<I", 8) + gguf_text(value)


def save_gguf(path, keys, tensors):
    """Of tensors by name, each (shape, bytes) of float32, or (shape, bytes, llama.cpp's number of another type)."""
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys))
    for key, value in keys.items():
        head += gguf_text(key) + gguf_value(value)
    data = b""
    for name, (shape, content, *stored) in tensors.items():
        data += b"\0" * (-len(data) % 32)
        head += gguf_text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *reversed(shape), *(stored or [0]), len(data))
        data += content
    path.write_bytes(head + b"\0" * (-len(head) % 32) + data + b"\0" * (-len(data) % 32))
    return path
