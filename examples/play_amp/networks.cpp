#include "networks.hpp"

#include "amp_network.hpp"

#include <fovea/base/error.hpp>

#include <fmt/format.h>

namespace play_amp_program {

// In player.hpp.
template <const auto& shape>
std::unique_ptr<amp_network> compiled(const nam_file& file);
// Those of most captures are compiled for each instruction set.
template <>
std::unique_ptr<amp_network> compiled<a1_standard>(const nam_file& file);
template <>
std::unique_ptr<amp_network> compiled<a2_full>(const nam_file& file);
template <>
std::unique_ptr<amp_network> compiled<a2_lite>(const nam_file& file);

namespace {

/// Calls f with each network that the program is compiled for.
template <class F>
void every_network(F f) {
  const auto one = [&]<const auto & c>() { f.template operator()<c>(); };
  one.template operator()<a1_standard>();
  one.template operator()<a1_lite>();
  one.template operator()<a1_feather>();
  one.template operator()<a1_nano>();
  one.template operator()<a2_full>();
  one.template operator()<a2_lite>();
  one.template operator()<lstm_24>();
  one.template operator()<lstm_2x8>();
  one.template operator()<lstm_16>();
  one.template operator()<lstm_12>();
  one.template operator()<wavenet_3_2>();
  one.template operator()<relu_3>();
  one.template operator()<relu_2>();
  one.template operator()<relu_1>();
  one.template operator()<a2_max>();
  one.template operator()<lstm_3>();
}

} // namespace

std::vector<network_shape> known_shapes() {
  std::vector<network_shape> all;
  every_network([&]<const auto & c>() { all.emplace_back(c); });
  return all;
}

std::unique_ptr<amp_network> network_of(const nam_file& file) {
  std::unique_ptr<amp_network> made;
  every_network([&]<const auto & c>() {
    if (!made && file.shape == network_shape(c)) made = compiled<c>(file);
  });
  if (!made)
    throw fovea::error(
        fmt::format("{}: expected a network that the program is compiled for (--networks lists them, "
                    "examples/play_amp/networks.hpp takes more); found \"{}\"",
                    file.source, text_of(file.shape)));
  return made;
}

} // namespace play_amp_program
