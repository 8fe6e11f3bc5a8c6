#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fovea::core {

/// The fields of a protocol buffer's message, one after another
/// (https://protobuf.dev/programming-guides/encoding).
class protobuf_message {
public:
  struct field {
    std::uint64_t number;
    std::uint64_t value;    // of an integer, or the bits of a fixed number
    std::string_view bytes; // of a text or a message
    bool is_bytes;
  };

  explicit protobuf_message(std::string_view bytes) : bytes_(bytes) {}

  /// The next field; none at the message's end. Throws fovea::error where the bytes are no message.
  std::optional<field> next();

private:
  std::uint64_t integer();
  std::uint64_t fixed(std::size_t size);
  std::string_view take(std::uint64_t size);

  std::string_view bytes_;
};

} // namespace fovea::core
