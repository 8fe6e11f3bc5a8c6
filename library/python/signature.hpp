#pragma once

#include <fovea/library/library.hpp>

#include <cctype>
#include <span>
#include <string>

namespace fovea::library::python {

inline const char* type_text(const fovea_port& port) {
  return port.type == FOVEA_FLOAT32 ? "float32" : "int32";
}

/// "tokens: int32 [B, T]", a line each.
inline std::string ports_text(std::span<const fovea_port> ports) {
  std::string text;
  for (const fovea_port& port : ports)
    text += "\n    " + std::string(port.name) + ": " + type_text(port) + " " + shape_text(port);
  return text.empty() ? "\n    none" : text;
}

/// Whether all names are names in Python, too, so that a signature can list them.
inline bool can_be_listed(std::span<const fovea_port> ports) {
  for (const fovea_port& port : ports)
    for (std::size_t i = 0; port.name[i] != '\0'; ++i) {
      const auto c = static_cast<unsigned char>(port.name[i]);
      if (c != '_' && std::isalpha(c) == 0 && (i == 0 || std::isdigit(c) == 0)) return false;
    }
  return true;
}

/// What a call gives: arrays by name.
inline std::string result_text(std::span<const fovea_port> outputs) {
  for (const fovea_port& port : outputs)
    if (port.type != FOVEA_FLOAT32) return "dict[str, numpy.typing.NDArray]";
  return "dict[str, numpy.typing.NDArray[numpy.float32]]";
}

/// "def __call__(self, *, tokens: numpy.typing.ArrayLike) -> RESULT".
inline std::string signature_of(const std::string& name, std::span<const fovea_port> inputs,
                                const std::string& result) {
  std::string text = "def " + name + "(self";
  if (!can_be_listed(inputs)) {
    text += ", **inputs: numpy.typing.ArrayLike";
  } else if (!inputs.empty()) {
    text += ", *";
    for (const fovea_port& port : inputs) text += ", " + std::string(port.name) + ": numpy.typing.ArrayLike";
  }
  return text + ") -> " + result;
}

} // namespace fovea::library::python
