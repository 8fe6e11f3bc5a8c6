#include "networks.hpp"
#include "player.hpp"

#include <compiled_a2_full.hpp>

namespace play_amp_program {

template <>
std::unique_ptr<amp_network> compiled<a2_full>(const nam_file& file) {
  return played<a2_full>(file, [](const auto& weights, const auto& options) {
    return compiled_a2_full::stream(weights, options);
  });
}

} // namespace play_amp_program
