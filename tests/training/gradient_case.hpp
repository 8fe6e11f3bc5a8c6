#pragma once

// Gradients of any model: on the reference backend against difference quotients in double precision, and on
// both backends against a reference case's.

#include "../compare_backends.hpp"

#include <fovea/backends/reference/evaluation.hpp>
#include <fovea/dsl/passes/gradient_graph.hpp>

namespace fovea::core::test {

namespace detail {

/// A graph with values for its parameters and inputs, evaluated in double precision.
struct point {
  reference_ops::evaluation::parameter_layers parameters;
  std::vector<reference_ops::array> inputs;
  std::map<std::string, std::int64_t> sizes;

  std::vector<reference_ops::array> run(const graph_view& g) const {
    return reference_ops::evaluation(g, parameters, inputs, sizes).outputs();
  }
};

inline reference_ops::array array_of(const golden_tensor& from) {
  reference_ops::array made = reference_ops::filled(from.shape, 0);
  std::copy(from.values.begin(), from.values.end(), made.begin());
  return made;
}

template <class M>
point point_of(const M& model, const std::map<std::string, std::size_t>& sizes) {
  point made;
  const graph_view& g = M::view;
  const auto tensors = random_tensors(model);
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    made.parameters.emplace_back();
    for (std::int64_t layer = 0; layer < g.layers(g.parameters[p].node); ++layer) {
      const weight_tensor& from = tensors.at(g.parameter_name(static_cast<int>(p), layer).text);
      made.parameters.back().push_back(
          array_of({from.shape, {from.values.begin(), from.values.end()}, false}));
    }
  }
  const named_values inputs = random_inputs(model, sizes);
  for (const named_value& input : g.inputs) made.inputs.push_back(array_of(inputs.at(input.name)));
  for (const auto& [name, size] : sizes) made.sizes[name] = static_cast<std::int64_t>(size);
  return made;
}

/// A direction that looks random.
inline reference_ops::array direction(const reference_ops::array& like, const std::string& name) {
  return array_of(test::values_of(reference_ops::shape_of(like), false, "direction " + name));
}

inline double dot_product(const reference_ops::array& a, const reference_ops::array& b) {
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a.data()[i] * b.data()[i];
  return total;
}

} // namespace detail

/// Holds the gradients of a model's loss, those of its inputs among them, against difference quotients along
/// a random direction of each parameter and input; `training`: of the model as it is while it is trained.
template <bool training = false, class M>
void check_difference_quotients(const M& model, const std::map<std::string, std::size_t>& sizes) {
  constexpr auto differentiated = gradients<true, training>(M{});
  using G = std::remove_const_t<decltype(differentiated)>;
  using trained = core::pipeline<typename M::source, core::passes::training_form>;
  using form = std::conditional_t<training, core::detail::kept_graph<typename trained::result>, M>;
  check_passes<typename G::made_by>();
  const detail::point at = detail::point_of(G{differentiated}, sizes);
  const auto found = at.run(G::view);
  // Without an output "loss", the outputs are joined by what arrives at them.
  const std::size_t given = M::view.inputs.size();
  const auto loss = [&](const detail::point& moved) {
    detail::point whole = moved;
    const std::vector<reference_ops::array> arriving(
        whole.inputs.begin() + static_cast<std::ptrdiff_t>(given), whole.inputs.end());
    whole.inputs.resize(given);
    auto outputs = whole.run(form::view);
    outputs.resize(M::view.outputs.size());
    double total = 0;
    std::size_t next = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const named_value& out = M::view.outputs[i];
      if (arriving.empty() ? std::string("loss") == out.name : M::view.at(out.node).type == element::f32)
        total += arriving.empty() ? outputs[i].data()[0] : detail::dot_product(outputs[i], arriving[next++]);
    }
    return total;
  };
  const auto check_one = [&](const std::string& name, const reference_ops::array& gradient, auto&& place) {
    const reference_ops::array along = detail::direction(gradient, name);
    const auto quotient_of = [&](double step) {
      double values[2] = {};
      for (const int side : {0, 1}) {
        detail::point moved = at;
        place(moved, along, side == 0 ? -step : step);
        values[side] = loss(moved);
      }
      return (values[1] - values[0]) / (2 * step);
    };
    const double exact = detail::dot_product(gradient, along);
    const auto close = [&](double quotient) {
      return std::abs(quotient - exact) <= 1e-6 * std::max(1.0, std::abs(quotient));
    };
    double quotient = quotient_of(1e-5);
    // Where a loss bends much, half the step tells what the square of the step has added (Richardson).
    if (!close(quotient)) quotient = (4 * quotient_of(0.5e-5) - quotient) / 3;
    INFO(name << ": difference quotient " << quotient << ", gradient " << exact);
    CHECK(close(quotient));
  };
  const graph_view& g = G::view;
  for (std::size_t p = 0; p < g.parameters.size(); ++p) {
    const int output = G::output_of(static_cast<int>(p));
    const std::string name = g.parameter_name(static_cast<int>(p)).text;
    if (name.find(".running_") != std::string::npos) continue; // what training gathers is not learned
    const auto& layers = at.parameters[p];
    reference_ops::array gradient = output >= 0
                                        ? found[static_cast<std::size_t>(output)]
                                        : reference_ops::filled({layers.size() * layers[0].size()}, 0);
    check_one(name, gradient, [&](detail::point& moved, const reference_ops::array& along, double by) {
      std::size_t i = 0;
      for (auto& layer : moved.parameters[p])
        for (std::size_t k = 0; k < layer.size(); ++k) layer.data()[k] += by * along.data()[i++];
    });
  }
  for (std::size_t i = 0; i < given; ++i) {
    const int output = G::output_of_input(static_cast<int>(i));
    if (output < 0) continue;
    check_one(std::string("input ") + g.inputs[i].name, found[static_cast<std::size_t>(output)],
              [&](detail::point& moved, const reference_ops::array& along, double by) {
                for (std::size_t k = 0; k < along.size(); ++k)
                  moved.inputs[i].data()[k] += by * along.data()[k];
              });
  }
  static_cast<void>(model);
}

/// The same at sizes of one and at sizes that fit no vector, and the kernels' gradients against the
/// specification's.
template <class M>
void check_gradients_of_words(const M& model) {
  check_difference_quotients(model, {{"B", 1}, {"T", 1}, {"S", 1}});
  check_difference_quotients(model, {{"B", 3}, {"T", 7}, {"S", 5}});
  compare_at_awkward_sizes(gradients<true>(model));
}

/// Of a model that takes long to compile: at one size.
template <class M>
void check_gradients_of(const M& model) {
  check_difference_quotients(model, {{"B", 3}, {"T", 7}, {"S", 5}});
  compare(gradients(model), {{"B", 3}, {"T", 7}, {"S", 5}});
}

} // namespace fovea::core::test
