#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

/// What a GGUF file (version 3, without tensors) says about its vocabulary: the lists of strings and of
/// integers that the tests build a tokenizer from.
class gguf_vocabulary {
public:
  explicit gguf_vocabulary(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot open " + path);
    bytes_.assign(std::istreambuf_iterator<char>(stream), {});
    if (bytes_.substr(0, 4) != "GGUF") throw std::runtime_error(path + ": expected a GGUF file");
    at_ = 4;
    read<std::uint32_t>();
    read<std::uint64_t>();
    for (auto pairs = read<std::uint64_t>(); pairs > 0; --pairs) {
      const std::string key = read_text();
      const auto type = read<std::uint32_t>();
      if (type != array) {
        skip(type);
        continue;
      }
      const auto element = read<std::uint32_t>();
      for (auto count = read<std::uint64_t>(); count > 0; --count) {
        if (key == "tokenizer.ggml.tokens")
          tokens.push_back(read_text());
        else if (key == "tokenizer.ggml.merges")
          merges.push_back(read_text());
        else if (key == "tokenizer.ggml.token_type")
          types.push_back(read<std::int32_t>());
        else
          skip(element);
      }
    }
  }

  std::vector<std::string> tokens;
  std::vector<std::string> merges; // "left right", earliest first
  std::vector<std::int32_t> types; // 3 marks a control token

private:
  static constexpr std::uint32_t text = 8, array = 9;

  template <typename number>
  number read() {
    number value;
    std::memcpy(&value, bytes_.substr(at_, sizeof(number)).data(), sizeof(number));
    at_ += sizeof(number);
    return value;
  }
  std::string read_text() {
    const auto length = static_cast<std::size_t>(read<std::uint64_t>());
    at_ += length;
    return bytes_.substr(at_ - length, length);
  }
  void skip(std::uint32_t type) {
    // uint8, int8, uint16, int16, uint32, int32, float32, bool, (string, array,) uint64, int64, float64
    constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
    if (type == text)
      read_text();
    else
      at_ += sizes[type];
  }

  std::string bytes_;
  std::size_t at_ = 0;
};
