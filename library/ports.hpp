#pragma once

#include <fovea/library/c/types.h>
#include <fovea/runtime/calls/key_name.hpp>
#include <fovea/runtime/compile.hpp>

#include <array>
#include <cstddef>
#include <utility>

namespace fovea::library {

static_assert(core::shape::max_rank == FOVEA_MOST_AXES);

/// The inputs or outputs of a graph, as its library names them.
template <class graph, bool inputs>
struct ports {
  static constexpr const auto& values = []() -> const auto& {
    if constexpr (inputs)
      return graph::view.inputs;
    else
      return graph::view.outputs;
  }
  ();
  static constexpr std::size_t count = values.size();

  static constexpr const core::node& node(std::size_t i) { return graph::view.at(values[i].node); }
  template <std::size_t i>
  static constexpr std::size_t rank = node(i).shape.rank;

  /// The name as a key has it.
  template <std::size_t i>
  static constexpr auto name = core::key_name<graph, inputs, i>;

  static const std::array<fovea_port, count> table;

private:
  template <std::size_t i, std::size_t axis>
  static constexpr auto dim_text = []() consteval {
    constexpr auto written = [] {
      core::sentence s;
      s << graph::view.dim_of(node(i).shape[axis]);
      return s;
    };
    std::array<char, written().size + 1> text{};
    for (std::size_t k = 0; k < written().size; ++k) text[k] = written().text[k];
    return text;
  }
  ();
  template <std::size_t i, std::size_t axis>
  static constexpr void set_axis(fovea_port& port) {
    constexpr auto dim = node(i).shape[static_cast<int>(axis)];
    if constexpr (graph::view.is_number(dim))
      port.sizes[axis] = graph::view.number(dim);
    else
      port.dims[axis] = dim_text<i, axis>.data();
  }
  template <std::size_t i>
  static constexpr fovea_port port() {
    fovea_port made{values[i].name,
                    node(i).type == core::element::f32 ? FOVEA_FLOAT32 : FOVEA_INT32,
                    static_cast<int>(rank<i>),
                    {},
                    {}};
    [&]<std::size_t... axis>(std::index_sequence<axis...>) { (set_axis<i, axis>(made), ...); }
    (std::make_index_sequence<rank<i>>{});
    return made;
  }
  template <std::size_t... i>
  static constexpr std::array<fovea_port, count> all(std::index_sequence<i...>) {
    return {port<i>()...};
  }
};

template <class graph, bool inputs>
constexpr std::array<fovea_port, ports<graph, inputs>::count>
    ports<graph, inputs>::table = all(std::make_index_sequence<count>{});

} // namespace fovea::library
