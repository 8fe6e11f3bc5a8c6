#include <fovea/runtime/tokenizers/protobuf.hpp>

#include <fovea/base/error.hpp>

#include <cstring>
#include <string>

namespace fovea::core {

std::optional<protobuf_message::field> protobuf_message::next() {
  if (bytes_.empty()) return std::nullopt;
  enum : std::uint64_t { varint = 0, eight_bytes = 1, counted_bytes = 2, four_bytes = 5 };
  constexpr std::uint64_t type_bits = 3;
  const std::uint64_t tag = integer();
  field found{tag >> type_bits, 0, {}, false};
  switch (tag & ((1u << type_bits) - 1)) {
    case varint:
      found.value = integer();
      break;
    case eight_bytes:
      found.value = fixed(sizeof(std::uint64_t));
      break;
    case four_bytes:
      found.value = fixed(sizeof(std::uint32_t));
      break;
    case counted_bytes:
      found.bytes = take(integer());
      found.is_bytes = true;
      break;
    default:
      throw error("expected a field of a known type; found tag " + std::to_string(tag));
  }
  return found;
}

std::uint64_t protobuf_message::integer() {
  constexpr unsigned bits_of_byte = 7, bits = 64;
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < bits; shift += bits_of_byte) {
    const auto byte = static_cast<unsigned char>(take(1).front());
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  throw error("expected an integer of at most 10 bytes; found more");
}

/// Little-endian, as this machine is.
std::uint64_t protobuf_message::fixed(std::size_t size) {
  std::uint64_t value = 0;
  std::memcpy(&value, take(size).data(), size);
  return value;
}

std::string_view protobuf_message::take(std::uint64_t size) {
  if (size > bytes_.size())
    throw error("a field is cut short: expected " + std::to_string(size) + " bytes; found " +
                std::to_string(bytes_.size()));
  const std::string_view taken = bytes_.substr(0, static_cast<std::size_t>(size));
  bytes_.remove_prefix(taken.size());
  return taken;
}

} // namespace fovea::core
