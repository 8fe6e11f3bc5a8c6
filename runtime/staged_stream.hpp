#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <fovea/backends/tensor_view.hpp>
#include <fovea/backends/xtensor.hpp>
#include <fovea/dsl/passes/shard.hpp>
#include <fovea/runtime/calls/key_name.hpp>
#include <fovea/runtime/passed_value.hpp>
#include <fovea/runtime/ranks/rank_group.hpp>
#include <fovea/runtime/stage_message.hpp>
#include <fovea/runtime/stream.hpp>

namespace fovea::core {

namespace detail {

/// A value of a model's boundary as an xtensor view of where it was kept.
template <class graph, int id>
auto view_of(const passed_value& kept) {
  constexpr node n = graph::view.at(id);
  using value = std::conditional_t<n.type == element::f32, float, std::int32_t>;
  std::array<std::size_t, n.shape.rank> shape{};
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    shape[axis] = static_cast<std::size_t>(kept.sizes[axis]);
  return tensor_view<value, n.shape.rank>(reinterpret_cast<const value*>(kept.bytes.data()), shape);
}

template <class stages>
inline constexpr bool all_well_formed = false;
template <class... stages>
inline constexpr bool all_well_formed<std::tuple<stages...>> = (stages::well_formed && ...);

/// Whether a stage that is streamed looks at later positions.
template <class stages, dim time>
inline constexpr bool looks_ahead = false;
template <class... stages, dim time>
inline constexpr bool looks_ahead<std::tuple<stages...>, time> =
    ((streamed_step<typename stages::source, time>::result.latency > 0) || ...);

/// Whether a stage that is streamed reads something of an earlier one before its first step.
template <class graph>
constexpr bool begins_with_passed() {
  for (const named_value& in : graph::view.inputs)
    if (number_of_passed(in.name) >= 0) return true;
  return false;
}
template <class stages, dim time>
inline constexpr bool passes_at_once = false;
template <class... stages, dim time>
inline constexpr bool passes_at_once<std::tuple<stages...>, time> =
    (begins_with_passed<begin_of<typename stages::source, time>>() || ...);

/// One stage of a model as a stream, on the rank that has it.
template <class stage, dim time, class format>
class stage_of_stream {
  using step_model = step_of<typename stage::source, time>;
  using begin_model = begin_of<typename stage::source, time>;
  using stream_type = std::remove_cvref_t<decltype(stream<time, format>(
      std::declval<const stage&>(), std::declval<const model_weights&>(),
      std::declval<const compile_options&>()))>;

public:
  stage_of_stream(const stage& model, const model_weights& weights, const compile_options& options)
      : stream_(stream<time, format>(model, weights, own(options))) {}

  /// The names of what a step gives, for the stages behind it and for the caller.
  static constexpr auto output_names = [] {
    std::array<const char*, step_model::view.outputs.size()> names{};
    for (std::size_t i = 0; i < names.size(); ++i) names[i] = step_model::view.outputs[i].name;
    return names;
  }();

  stream_type& operator*() { return stream_; }
  const stream_type& operator*() const { return stream_; }

  template <class... bindings>
  void begin(const bindings&... given) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      stream_.begin(
          (input_key<key_name<begin_model, true, i>>{} = found<key_name<begin_model, true, i>>(given...))...);
    }
    (std::make_index_sequence<begin_model::view.inputs.size()>{});
  }

  /// Takes what was given and what earlier stages passed, and adds what it passes or gives.
  template <class... bindings>
  void step(passed_values& values, const bindings&... given) {
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      const auto out =
          stream_.step((input_key<key_name<step_model, true, i>>{} = argument<i>(values, given...))...);
      keep(values, out, std::make_index_sequence<step_model::view.outputs.size()>{});
    }
    (std::make_index_sequence<step_model::view.inputs.size()>{});
  }

private:
  /// Without the dims that are other stages'.
  static compile_options own(compile_options options) {
    std::erase_if(options.capacity, [](const dim_size& d) {
      for (const dim& form : stage::view.forms)
        if (form == d.symbol) return false;
      return true;
    });
    return options;
  }
  /// What a call gives for an input.
  template <fixed_name name, fixed_name first, class E, class... rest>
  static const auto& found(const binding<first, E>& one, const rest&... others) {
    if constexpr (std::string_view(name.text) == std::string_view(first.text))
      return one.value;
    else
      return found<name>(others...);
  }
  template <std::size_t i, class... bindings>
  static decltype(auto) argument(const passed_values& values, const bindings&... given) {
    constexpr int number = number_of_passed(step_model::view.inputs[i].name);
    if constexpr (number >= 0)
      return view_of<step_model, step_model::view.inputs[i].node>(
          values.passed[static_cast<std::size_t>(number)]);
    else
      return found<key_name<step_model, true, i>>(given...);
  }
  template <class outputs, std::size_t... i>
  static void keep(passed_values& values, const outputs& out, std::index_sequence<i...>) {
    const auto one = [](passed_value& to, const auto& from) {
      to.set(std::as_bytes(std::span(from.data(), from.size())), from.shape());
    };
    (one(values.named(step_model::view.outputs[i].name), out[output_key<key_name<step_model, false, i>>{}]),
     ...);
  }

  stream_type stream_;
};

} // namespace detail

/// What a step of a staged stream gave, by name; valid until the next step begins.
template <class M>
class staged_outputs : detail::refused_outputs<M> {
public:
  explicit staged_outputs(const detail::passed_values& values) : values_(&values) {}

  template <fixed_name name>
  requires detail::holds<detail::checked_output<M, name>>
  auto operator[](output_key<name>) const {
    constexpr auto i = static_cast<std::size_t>(detail::find_output<M, name>());
    return detail::view_of<M, M::view.outputs[i].node>(values_->given.at(name.text));
  }
  using detail::refused_outputs<M>::operator[];

private:
  const detail::passed_values* values_;
};

/// A model as a stream whose stages are on the ranks of a group, as stream_stages makes it. All ranks make the same calls, of
/// which each takes what its stages read, and all get the outputs. A copy goes its own way over the same weights: of two
/// streams one may be with the first stage while the other is with the last.
template <class M, dim time, int count, class format>
class staged_stream : detail::refused_stream_calls<typename M::source, time> {
  using models = decltype(shard<count>(std::declval<const M&>()));
  using begin_model = detail::begin_of<typename M::source, time>;
  using step_model = detail::step_of<typename M::source, time>;
  using refused_calls = detail::refused_stream_calls<typename M::source, time>;
  template <std::size_t k>
  using stage = detail::stage_of_stream<std::tuple_element_t<k, models>, time, format>;
  static constexpr auto every = std::make_index_sequence<static_cast<std::size_t>(count)>{};

public:
  static constexpr std::int64_t latency = 0;

  staged_stream(const M& model, const model_weights& weights, rank_group group,
                const compile_options& options)
      : name_(model.name), group_(std::move(group)), messages_(static_cast<std::size_t>(group_.size())) {
    if (group_.size() > count)
      throw error(std::string(model.name) + ": expected at most " + std::to_string(count) +
                  " ranks, one for each stage, found " + std::to_string(group_.size()));
    const models all = shard<count>(model);
    for_own([&]<std::size_t k>() { std::get<k>(stages_).emplace(std::get<k>(all), weights, options); });
  }

  /// As of a stream. Throws fovea::error on every rank where it does on one.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<begin_model, names...>,
                         detail::checked_value<begin_model, names, std::decay_t<values>>...>
  void begin(const binding<names, values>&... given) {
    expect_in_flight(false, "begin(...)");
    run([&]<std::size_t k>(auto& own) { own.begin(given...); }, [](int) { return passed(); }, true);
    end_run();
  }
  using refused_calls::begin;

  /// As of a stream: the stages take it one after the other. Throws fovea::error on every rank where it does on one; the
  /// stream goes on from the next `begin`.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<step_model, names...>,
                         detail::checked_value<step_model, names, std::decay_t<values>>...>
      staged_outputs<M> step(const binding<names, values>&... given)
  &{
    expect_in_flight(false, "step(...)");
    begin_step(given...);
    return end_step();
  }
  using refused_calls::step;

  /// The same in two: the stages of this rank take the step as soon as it has what those before them pass, and `end_step`
  /// waits for those behind them. Between the two a rank may begin steps of other streams. What a stage refuses `end_step`
  /// throws; either throws where it is not its turn.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<step_model, names...>,
                         detail::checked_value<step_model, names, std::decay_t<values>>...>
  void begin_step(const binding<names, values>&... given) {
    expect_in_flight(false, "begin_step(...)");
    std::vector<std::size_t> shapes;
    (add_shape(given.value, shapes), ...);
    run([&]<std::size_t k>(auto& own) { own.step(values_, given...); },
        [this](int rank) { return values_of(rank); }, shapes == known_shapes_);
    known_shapes_ = std::move(shapes);
  }
  using refused_calls::begin_step;
  staged_outputs<M> end_step() & {
    expect_in_flight(true, "end_step()");
    end_run();
    return staged_outputs<M>(values_);
  }

  /// Rows, as of a stream.
  void reorder(std::span<const std::size_t> rows) {
    for_own([&]<std::size_t k>() { (**std::get<k>(stages_)).reorder(rows); });
  }
  void reset(std::size_t row) {
    for_own([&]<std::size_t k>() { (**std::get<k>(stages_)).reset(row); });
  }
  void rewind(std::size_t positions) {
    for_own([&]<std::size_t k>() { (**std::get<k>(stages_)).rewind(positions); });
  }
  std::size_t most_rows() const {
    return of_first([](const auto& own) { return (*own).most_rows(); });
  }
  std::int64_t position(std::size_t row = 0) const {
    return of_first([row](const auto& own) { return (*own).position(row); });
  }

private:
  int owner(std::size_t k) const { return static_cast<int>(k) * group_.size() / count; }

  template <class F>
  void for_own(F f) {
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      ((owner(k) == group_.rank() ? f.template operator()<k>() : void()), ...);
    }
    (every);
  }
  template <class F>
  auto of_first(F f) const {
    decltype(f(*std::get<0>(stages_))) found{};
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      static_cast<void>(((std::get<k>(stages_) ? (found = f(*std::get<k>(stages_)), true) : false) || ...));
    }
    (every);
    return found;
  }
  using passed = std::vector<detail::passed_value*>;
  /// What the stages of a rank compute in a step.
  passed values_of(int rank) {
    passed found;
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      const auto add = [&](std::size_t of, const auto& names) {
        if (owner(of) != rank) return;
        for (const char* name : names) found.push_back(&values_.named(name));
      };
      (add(k, stage<k>::output_names), ...);
    }
    (every);
    return found;
  }
  /// On which the sizes of all that stages pass depend.
  template <class E>
  static void add_shape(const E& value, std::vector<std::size_t>& to) {
    if constexpr (requires { value.shape(); })
      for (const auto size : value.shape()) to.push_back(static_cast<std::size_t>(size));
    to.push_back(0);
  }
  void expect_in_flight(bool expected, const char* call) const {
    if (messages_.back().is_begun() != expected) // which no stage waits for
      throw error(name_ + ": expected " + (expected ? "begin_step(...)" : "end_step()") + " before " + call);
  }
  /// The stages of this rank, once it has what those before them passed. What each rank computes is on its way to the others
  /// then.
  template <class F, class values>
  void run(F f, values values_of, bool sizes_are_known) {
    for (int rank = 0; rank < group_.size(); ++rank) {
      std::string problem;
      if (rank == group_.rank()) {
        for (auto before = messages_.begin(); before != messages_.begin() + rank && problem.empty(); ++before)
          problem = before->end();
        if (problem.empty()) try {
            for_own([&]<std::size_t k>() { f.template operator()<k>(*std::get<k>(stages_)); });
          } catch (const error& found) {
            problem = found.what();
          }
      }
      messages_[static_cast<std::size_t>(rank)].begin(group_, rank, values_of(rank), problem,
                                                      sizes_are_known);
    }
  }
  void end_run() {
    std::string problem;
    for (detail::stage_message& one : messages_)
      if (const std::string& told = one.end(); problem.empty()) problem = told;
    if (problem.empty()) return;
    known_shapes_.clear(); // some stages may have computed nothing
    throw error(problem);
  }
  template <std::size_t... k>
  static std::tuple<std::optional<stage<k>>...> none(std::index_sequence<k...>);

  std::string name_;
  rank_group group_;
  decltype(none(every)) stages_;
  detail::passed_values values_;
  std::vector<detail::stage_message> messages_; // of each rank
  std::vector<std::size_t> known_shapes_;       // of the inputs of which all ranks know the sizes
};

/// Streams a model in so many stages (shard), which are on the ranks of a group, as many ranks at most: a rank loads the
/// weights of its stages alone, so that ranks hold together what one has no memory for. A group of one has all stages.
///
///   auto live = stream_stages<T, 2>(last<T>(models::llama<big>), weights, mpi_group(), {.capacity = {{B, 1}, {T, 512}}});
///   auto out = live.step("tokens"_in = ids);       // on each rank; so is out["logits"_out]
///
/// Throws fovea::error where there are more ranks than stages, and as stream does. A model whose stages would pass what has
/// no positions, or one that looks ahead, is a compile-time error.
template <dim time, int count, class format = f32, class M>
requires(M::well_formed) auto stream_stages(const M& model, const model_weights& weights,
                                            const rank_group& group, const compile_options& options = {}) {
  using stages = decltype(shard<count>(model));
  if constexpr (!detail::all_well_formed<stages>) { // which is said
    return refused_value{};
  } else if constexpr (detail::looks_ahead<stages, time>) {
    static_assert(
        count < 1,
        "stream_stages: a stage looks at later positions, which the next one would take for earlier "
        "ones; give the model causal masks and windows [F0346]");
    return refused_value{};
  } else if constexpr (detail::passes_at_once<stages, time>) {
    static_assert(count < 1,
                  "stream_stages: a stage needs what an earlier one computes before the first position; the "
                  "stages of a stream pass what moves along its dim alone [F0347]");
    return refused_value{};
  } else {
    return staged_stream<M, time, count, format>(model, weights, group, options);
  }
}
/// A model with an error has said so already.
template <dim time, int count, class format = f32, class M>
requires(!M::well_formed) refused_value
    stream_stages(const M&, const model_weights&, const rank_group&, const compile_options& = {}) {
  return {};
}

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::stream_stages;
} // namespace fovea
