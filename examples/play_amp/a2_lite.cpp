#include "networks.hpp"
#include "player.hpp"

#include <compiled_a2_lite.hpp>

namespace play_amp_program {

template <>
std::unique_ptr<amp_network> compiled<a2_lite>(const nam_file& file) {
  return played<a2_lite>(file, [](const auto& weights, const auto& options) {
    return compiled_a2_lite::stream(weights, options);
  });
}

} // namespace play_amp_program
