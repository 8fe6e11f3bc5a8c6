#pragma once

// Reads the weights of the RWKV models in ../shared/data/rwkv (see its README).

#include <fovea/fovea.hpp>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace fovea::test {

/// A file of float32 tensors.
inline weights rwkv_weights(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  std::size_t at = 0;
  const auto number = [&] {
    std::uint32_t n;
    std::memcpy(&n, bytes.data() + at, sizeof n);
    at += sizeof n;
    return n;
  };
  if (bytes.size() < 24 || number() != 0x67676d66) throw error(path + ": expected an RWKV file");
  at = 24;
  std::map<std::string, weight_tensor> made;
  while (at < bytes.size()) {
    const std::uint32_t rank = number(), length = number(), type = number();
    if (type != 0) throw error(path + ": expected float32");
    weight_tensor tensor{std::vector<std::size_t>(rank), {}};
    std::size_t size = 1;
    for (std::uint32_t i = rank; i-- > 0;) size *= tensor.shape[i] = number();
    const std::string name(bytes.data() + at, length);
    at += length;
    tensor.values.resize(size);
    std::memcpy(tensor.values.data(), bytes.data() + at, size * sizeof(float));
    at += size * sizeof(float);
    made[name] = std::move(tensor);
  }
  return weights::from(std::move(made), path);
}

} // namespace fovea::test
