#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <type_traits>

#include <fovea/backends/backend.hpp>
#include <fovea/backends/tensor_view.hpp>
#include <fovea/base/error.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/dsl/model.hpp>
#include <fovea/runtime/calls/inputs.hpp>
#include <fovea/runtime/calls/keys.hpp>
#include <fovea/runtime/calls/lookup.hpp>
#include <fovea/runtime/calls/outputs.hpp>
#include <fovea/runtime/calls/refused.hpp>
#include <fovea/runtime/calls/sizes.hpp>
#include <fovea/runtime/options.hpp>
#include <fovea/runtime/ranks/model_ranks.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core {

namespace detail {

/// Small: all weights at most 128 KiB.
template <class model>
constexpr bool is_small(const compile_options& options) {
  constexpr bool fits = model::parameters() * 4 <= 128 * 1024;
  return options.regime == regime::automatic ? fits : options.regime == regime::small;
}

template <class model>
thread_supply threads_of(const compile_options& options, const char* name) {
  return threads_of(options, is_small<model>(options), name);
}

/// The calls that do not fit a model's inputs. They stand in a base: clang says twice what is unavailable of
/// the operators of the class itself.
template <class model>
struct refused_calls {
  template <fixed_name... names, class... values,
            class why =
                refusal<checked_call<model, names...>, checked_value<model, names, std::decay_t<values>>...>>
  __attribute__((unavailable("the call does not fit the model"))) refused_value
  operator()(const binding<names, values>&...) & {
    return {};
  }
};

/// The names that are none of a model's parameters.
template <class model>
struct refused_parameters {
  template <fixed_name name, class why = refusal<checked_parameter<model, name>>>
  __attribute__((unavailable("the model has no such parameter"))) refused_value
  operator[](parameter_key<name>) const {
    return {};
  }
};

} // namespace detail

/// The parameters of one name: parameter[layer] is an xtensor view of a layer's values as they were loaded;
/// layers count on through repeats of one name. Throws fovea::error where there is no such layer.
template <std::size_t rank>
class parameter_values {
public:
  parameter_values(const model_parameters& parameters, std::span<const int> indices,
                   std::array<std::size_t, rank> shape)
      : parameters_(parameters), indices_(indices), shape_(shape) {}

  auto operator[](std::size_t layer) const {
    return tensor_view<float, rank>(parameters_.values(indices_, layer).data, shape_);
  }

private:
  const model_parameters& parameters_;
  std::span<const int> indices_;
  std::array<std::size_t, rank> shape_;
};

/// A model with its weights and memory, ready to be called. Serves one thread at a time; a copy has its own
/// memory over the same weights. Nothing is allocated by a call (compile<reference> apart).
template <class model, backend_for<model> backend>
class compiled : detail::refused_calls<model> {
  using engine = typename backend::template engine<model>;
  template <fixed_name name, class E>
  using argument = detail::checked_value<model, name, E>;

public:
  compiled(const char* name, const model_weights& source, std::span<const name_rule> names,
           const compile_options& options, weight_format format, typename backend::model_code code) try
      : sizes_(model::view, name, options.capacity), capacity_(sizes_.sizes()), ranks_(name, options.group),
        engine_(model_parameters(model::view, source, names, core::formatted(model::view, format),
                                 ranks_.parameters(options.group)),
                capacity_, detail::threads_of<model>(options, name), code) {
    source.let_go();
    give_name(engine_, name);
    ranks_.tell(engine_);
  } catch (const std::bad_alloc&) {
    refuse_memory(name, options.capacity);
  }
  compiled(const compiled& other)
      : sizes_(other.sizes_), capacity_(other.capacity_), ranks_(other.ranks_),
        engine_(other.engine_, capacity_) {
    give_name(engine_, sizes_.model_name().c_str());
    ranks_.tell(engine_);
  }
  compiled(compiled&&) = default;
  compiled& operator=(const compiled&) = delete;

  /// net("tokens"_in = ids, ...): one xtensor expression for each input, in any order. Throws fovea::error
  /// that names the input before anything runs; the outputs are views of the memory of what is called, until
  /// the next call.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<model, names...>, argument<names, std::decay_t<values>>...>
  auto operator()(const binding<names, values>&... given) & {
    inputs_.resolve(sizes_, given...);
    inputs_.lend(sizes_, engine_, given...);
    engine_.run(sizes_.sizes());
    ranks_.check();
    outputs_.set(engine_, sizes_);
    return call_outputs<model>(outputs_);
  }

  using detail::refused_calls<model>::operator();

  template <fixed_name... names, class... values>
  __attribute__((unavailable("the outputs are views of what is called, which ends here; keep it: auto net = "
                             "compile(...); auto outputs = net(...); [F0288]"))) refused_value
  operator()(const binding<names, values>&...) && {
    return {};
  }
  template <fixed_name... names, class... values>
  __attribute__((unavailable("a call writes into the memory of what is called, which is const here; expected "
                             "one that is not [F0336]"))) refused_value
  operator()(const binding<names, values>&...) const& {
    return {};
  }
  template <class... values>
  requires(!(is_binding<values> && ...)) //
      __attribute__((unavailable("an input has no name; expected net(\"tokens\"_in = ids) [F0289]")))
      refused_value
      operator()(const values&...) {
    return {};
  }

  /// Its parameters: net.weights()["h.attn.q.weight"_param][layer], without layers [0].
  struct parameter_table : detail::refused_parameters<model> {
    explicit parameter_table(const engine& e) : from(e) {}
    template <fixed_name name>
    requires detail::holds<detail::checked_parameter<model, name>>
    auto operator[](parameter_key<name>) const {
      using found = detail::parameters_named<model, name>;
      constexpr shape s = found::shape_of(0);
      std::array<std::size_t, s.rank> shape{};
      for (std::size_t i = 0; i < shape.size(); ++i)
        shape[i] = static_cast<std::size_t>(model::view.number(s.dims[i]));
      return parameter_values<s.rank>(from.parameters(), found::indices, shape);
    }
    using detail::refused_parameters<model>::operator[];

  private:
    const engine& from;
  };
  parameter_table weights() const { return parameter_table(engine_); }

  /// What the next calls draw where dropout is trained: the same for the same seed and step.
  void set_random(std::uint64_t seed, std::uint64_t step) { ranks_.tell(engine_, seed, step); }

  /// Bytes of working memory, and the threads that share the work.
  std::int64_t arena_bytes() const { return engine_.arena_bytes(); }
  int threads() const { return static_cast<int>(engine_.pool().size()); }

  /// What runs it, and the size of each dim: of the last call, before the first the capacity. For explain.
  const engine& runs_on() const { return engine_; }
  const std::vector<std::int64_t>& sizes() const { return sizes_.sizes(); }

private:
  call_sizes sizes_;
  std::vector<std::int64_t> capacity_;
  detail::ranks_of_model<model> ranks_;
  engine engine_;
  detail::call_inputs<model> inputs_;
  detail::output_views<model> outputs_;
};

/// A model as a backend runs it, by code of it that is given.
template <class backend, class M>
auto compiled_by(const M& model, const model_weights& source, const compile_options& options,
                 weight_format format, typename backend::model_code code) {
  return compiled<M, backend>(model.name, source, model.names, options, format, code);
}

} // namespace fovea::core
