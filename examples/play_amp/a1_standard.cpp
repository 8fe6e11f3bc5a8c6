#include "networks.hpp"
#include "player.hpp"

#include <compiled_a1_standard.hpp>

namespace play_amp_program {

template <>
std::unique_ptr<amp_network> compiled<a1_standard>(const nam_file& file) {
  return played<a1_standard>(file, [](const auto& weights, const auto& options) {
    return compiled_a1_standard::stream(weights, options);
  });
}

} // namespace play_amp_program
