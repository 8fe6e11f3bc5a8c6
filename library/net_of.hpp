#pragma once

#include <fovea/backends/xtensor.hpp>
#include <fovea/fovea.hpp>
#include <fovea/library/library.hpp>
#include <fovea/library/ports.hpp>
#include <fovea/programs/built.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace fovea::library {

/// A tensor as an expression of the type that the model's input has.
template <class T, std::size_t rank>
auto expression_of(const fovea_tensor& tensor) {
  std::array<std::size_t, rank> shape{};
  for (std::size_t axis = 0; axis < rank; ++axis) shape[axis] = static_cast<std::size_t>(tensor.shape[axis]);
  return xt::adapt(static_cast<const T*>(tensor.data), numbers_of(tensor), xt::no_ownership(), shape);
}

/// f with each tensor of `given` bound to the graph's input of its number.
template <class graph, class F>
void call_with(std::span<const fovea_tensor> given, F f) {
  using in = ports<graph, true>;
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    f((core::input_key<in::template name<i>>{} =
           expression_of<std::conditional_t<in::node(i).type == core::element::f32, float, std::int32_t>,
                         in::template rank<i>>(given[i]))...);
  }
  (std::make_index_sequence<in::count>{});
}

/// What a call of a graph gave, as tensors.
template <class graph>
class given_outputs {
  using out = ports<graph, false>;

public:
  template <class called>
  void set(const called& from) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (set_one<i>(from[core::output_key<out::template name<i>>{}]), ...);
    }
    (std::make_index_sequence<out::count>{});
    are_given_ = true;
  }
  std::span<const fovea_tensor> get() const {
    return are_given_ ? std::span<const fovea_tensor>(tensors_) : std::span<const fovea_tensor>();
  }

private:
  template <std::size_t i, class view>
  void set_one(const view& values) {
    fovea_tensor& t = tensors_[i];
    t = {out::table[i].name, out::table[i].type, out::table[i].rank, {}, values.data()};
    for (std::size_t axis = 0; axis < out::template rank<i>; ++axis)
      t.shape[axis] = static_cast<std::int64_t>(values.shape()[axis]);
  }

  std::array<fovea_tensor, out::count> tensors_{};
  bool are_given_ = false;
};

/// Throws fovea::error where weights are not those of a model in a format, as compile does.
template <class format, class M>
void expect_weights(const M& model, const model_weights& weights) {
  core::model_parameters(M::view, weights, model.names, core::formatted(M::view, core::format_named<format>));
}

/// The model M as `compiled` makes it.
template <class M, auto compiled>
class net_of final : public net {
public:
  /// The parts outlive it.
  net_of(const program_parts& parts, const model_weights& weights, const compile_options& how)
      : parts_(parts), net_(programs::in_callers_words(parts, [&] { return compiled(weights, how); })),
        inputs_("", ports<M, true>::table) {}
  net_of(const net_of& other) : parts_(other.parts_), net_(other.net_), inputs_(other.inputs_) {}

  std::unique_ptr<net> copy() const override { return std::make_unique<net_of>(*this); }
  void run(std::span<const fovea_tensor> inputs) override {
    programs::in_callers_words(parts_, [&] {
      call_with<M>(inputs_.match(inputs), [&](auto&&... given) { outputs_.set(net_(std::move(given)...)); });
    });
  }
  std::span<const fovea_tensor> outputs() const override { return outputs_.get(); }

private:
  const program_parts& parts_;
  std::invoke_result_t<decltype(compiled), const model_weights&, const compile_options&> net_;
  matched_inputs inputs_;
  given_outputs<M> outputs_;
};

/// The model M as `streamed` makes a stream of it along `time`.
template <class M, core::dim time, auto streamed>
class stream_of final : public stream {
  using stream_type = std::invoke_result_t<decltype(streamed), const model_weights&, const compile_options&>;
  using begin_model = core::detail::begin_of<typename M::source, time>;
  using step_model = core::detail::step_of<typename M::source, time>;
  using row_rules = core::detail::checked_rows<typename M::source, time>;

public:
  static constexpr std::int64_t stride = stream_type::stride, latency = stream_type::latency;
  using begin_ports = ports<begin_model, true>;
  using step_ports = ports<step_model, true>;
  using output_ports = ports<step_model, false>;

  /// The parts outlive it.
  stream_of(const program_parts& parts, const model_weights& weights, const compile_options& how)
      : parts_(parts), stream_(programs::in_callers_words(parts, [&] { return streamed(weights, how); })),
        begin_inputs_("begin", begin_ports::table), step_inputs_("step", step_ports::table) {}
  stream_of(const stream_of& other)
      : parts_(other.parts_), stream_(other.stream_), begin_inputs_(other.begin_inputs_),
        step_inputs_(other.step_inputs_) {}

  std::unique_ptr<stream> copy() const override { return std::make_unique<stream_of>(*this); }
  void begin(std::span<const fovea_tensor> inputs) override {
    programs::in_callers_words(parts_, [&] {
      call_with<begin_model>(begin_inputs_.match(inputs),
                             [&](auto&&... given) { stream_.begin(std::move(given)...); });
    });
  }
  void step(std::span<const fovea_tensor> inputs) override {
    programs::in_callers_words(parts_, [&] {
      call_with<step_model>(step_inputs_.match(inputs),
                            [&](auto&&... given) { outputs_.set(stream_.step(std::move(given)...)); });
    });
  }
  void finish([[maybe_unused]] std::size_t positions) override {
    if constexpr (latency > 0)
      programs::in_callers_words(parts_, [&] { outputs_.set(stream_.finish(positions)); });
    else
      throw error("finish: the model looks at no later position: nothing is to come after the steps");
  }
  void reset([[maybe_unused]] std::size_t row) override {
    if constexpr (row_rules::error.empty())
      programs::in_callers_words(parts_, [&] { stream_.reset(row); });
    else
      throw error(std::string("reset: ") + row_rules::error.text);
  }
  std::int64_t position(std::size_t row) const override {
    return row < stream_.most_rows() ? stream_.position(row) : -1;
  }
  std::span<const fovea_tensor> outputs() const override { return outputs_.get(); }

private:
  const program_parts& parts_;
  stream_type stream_;
  matched_inputs begin_inputs_, step_inputs_;
  given_outputs<step_model> outputs_;
};

} // namespace fovea::library
