#include <fovea/weights/gguf_layout.hpp>

#include <fovea/base/error.hpp>

#include <bit>

namespace fovea::core::gguf_layout {

std::size_t alignment_of(const gguf_metadata& metadata) {
  constexpr std::size_t usual = 32;
  const auto alignment = metadata.integer("general.alignment");
  if (!alignment) return usual;
  constexpr std::int64_t least = 8, most = 1 << 20;
  if (*alignment < least || *alignment > most || !std::has_single_bit(static_cast<std::uint64_t>(*alignment)))
    throw error(metadata.source() + ": key 'general.alignment': expected a power of two from 8; found " +
                std::to_string(*alignment));
  return static_cast<std::size_t>(*alignment);
}

} // namespace fovea::core::gguf_layout
