#include <fovea/backends/reference/engine.hpp>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>

#include <fovea/backends/reference/reference.hpp>

namespace fovea::core {

namespace {

std::vector<std::size_t> shape_of(const graph_view& g, int node, std::span<const std::int64_t> sizes) {
  std::vector<std::size_t> shape;
  const core::shape& s = g.at(node).shape;
  for (int i = 0; i < s.rank; ++i) shape.push_back(static_cast<std::size_t>(sizes[s[i]]));
  return shape;
}

std::size_t count_of(const std::vector<std::size_t>& shape) {
  std::size_t n = 1;
  for (const std::size_t size : shape) n *= size;
  return n;
}

} // namespace

reference_runner::reference_runner(graph_view graph, model_parameters parameters,
                                   std::span<const std::int64_t> capacity, bool rounds)
    : graph_(graph), parameters_(std::make_shared<const model_parameters>(std::move(parameters))),
      rounds_(rounds) {
  parameters_changed();
  for (const named_value& in : graph.inputs)
    inputs_.emplace_back(count_of(shape_of(graph, in.node, capacity)));
  outputs_.resize(graph.outputs.size());
}

void reference_runner::parameters_changed() {
  std::vector<std::vector<reference_program::array>> values;
  for (std::size_t p = 0; p < graph_.parameters.size(); ++p) {
    const int id = graph_.parameters[p].node, index = static_cast<int>(p);
    values.emplace_back();
    for (std::int64_t layer = 0; layer < graph_.layers(id); ++layer) {
      const weight_view v = parameters_->values({&index, 1}, static_cast<std::size_t>(layer));
      reference_program::array array(
          shape_of(graph_, id, graph_.dim_numbers)); // a parameter's dims are numbers
      std::copy_n(v.data, v.size, array.begin());
      values.back().push_back(std::move(array));
    }
  }
  program_ = std::make_shared<reference_program>(graph_, std::move(values), rounds_);
}

void* reference_runner::input(std::size_t i, std::span<const std::int64_t>) { return inputs_[i].data(); }

void reference_runner::run(std::span<const std::int64_t> sizes) {
  std::map<std::string, std::int64_t> symbols;
  for (std::size_t d = 1; d < graph_.dim_numbers.size(); ++d) {
    const auto id = static_cast<int>(d);
    if (!graph_.is_number(id) && graph_.form(id).is_symbol()) symbols[graph_.form(id).name()] = sizes[d];
  }
  std::vector<reference_program::array> given;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const int id = graph_.inputs[i].node;
    auto array = reference_program::array::from_shape(shape_of(graph_, id, sizes));
    if (graph_.at(id).type == element::f32)
      std::copy_n(inputs_[i].data(), array.size(), array.begin());
    else
      std::copy_n(reinterpret_cast<const std::int32_t*>(inputs_[i].data()), array.size(), array.begin());
    given.push_back(std::move(array));
  }
  const std::vector<reference_program::array> made = program_->run(given, symbols, random_);
  for (std::size_t i = 0; i < made.size(); ++i) {
    outputs_[i].resize(made[i].size());
    const bool is_float = graph_.at(graph_.outputs[i].node).type == element::f32;
    std::size_t k = 0;
    for (const double x : made[i]) {
      if (is_float)
        outputs_[i][k] = static_cast<float>(x);
      else {
        const auto whole = static_cast<std::int32_t>(x);
        std::memcpy(&outputs_[i][k], &whole, sizeof whole);
      }
      ++k;
    }
  }
}

const void* reference_runner::output(std::size_t i) const { return outputs_[i].data(); }

} // namespace fovea::core
