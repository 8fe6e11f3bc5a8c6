#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <fovea/backends/dropout.hpp>
#include <fovea/backends/optimizer.hpp>
#include <fovea/backends/stream_state.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/dsl/dim.hpp>
#include <fovea/dsl/passes/derived_model.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core {

// What runs models: a type without a value, which runtime/ takes as a template argument.
//
//   model_code          what is generated for a model where it is compiled; empty where nothing is
//   code_of_model<M>()  makes it
//   engine<M>           the parameters of a model, ready for use, its memory, and a run
//   update(args)        applies a rule of an optimizer to a run of parameters
//
// `M` is a declared model, or what passes made of one: its gradients, the step of its stream.

/// Whether B is a backend that runs a model. A call has the sizes of all dims of its graph, none above the
/// capacity that the engine was made with.
template <class B, class M>
concept backend_for = requires(typename B::template engine<M> e, const typename B::template engine<M> fixed,
                               typename B::model_code code, model_parameters parameters,
                               std::span<const std::int64_t> sizes, std::span<const float> floats,
                               std::size_t i, optimizer_args args) {
  { B::template code_of_model<M>() } -> std::same_as<typename B::model_code>;
  B::update(args);

  decltype(e)(parameters, sizes, 1, code);              // with the capacity, and the threads (thread_supply)
  decltype(e)(fixed, sizes);                            // another memory over the same parameters
  { e.input(i, sizes) } -> std::same_as<void*>;         // where the next call reads floats, or int32
  { e.template lend<0>(floats) } -> std::same_as<bool>; // whether it will read them where they lie instead
  e.run(sizes);
  { fixed.output(i) } -> std::same_as<const void*>; // where that has left it, until the next
  { fixed.parameters() } -> std::same_as<const model_parameters&>;
  e.parameters_changed(); // those that are learned
  e.set_random(random_state{});
  { fixed.pool() } -> std::same_as<thread_pool&>; // shares the work, and what training does between two runs
  { fixed.arena_bytes() } -> std::same_as<std::int64_t>;
};

// An engine may tell of itself, for explain and profiles. It then has, as simd::model_engine,
//
//   set_name(name)  of the model
//   explain(sizes, to)  what it runs at the sizes of a call (explanation.hpp)
//   is_measured()       whether someone asks for times
//   begin_position(sizes), end_position()  then stand around what runs in place of its steps

// An engine may tell what is final while a run goes on, for training by several ranks. It then has
//
//   final_parts()   the parts of outputs that it tells of, in the order in which a run makes them (output_watcher.hpp)
//   watch(watcher)  has each run from now on tell it

// An engine may leave out of its runs what some outputs alone need: leave_out(numbers of outputs), before any of these.

/// Gives an engine the name of its model, if it tells of itself.
template <class E>
void give_name([[maybe_unused]] E& engine, [[maybe_unused]] const char* name) {
  if constexpr (requires { engine.set_name(name); }) engine.set_name(name);
}

// A backend may run streams. It then has more, and its engines work on what the stream keeps.
//
//   stream_code                        `step` and `begin`, of such models; `position`, of a single position
//   code_of_stream<M, time>()          makes it
//   single_position<step_model, time>  another way to take one position of a small stream, where it `exists`
//
// If it likes, code.block and another way to take the positions of a call of one batch row, where it `exists`:
//
//   position_block<step_model, time>   made of parameters, the most positions of a call, and code.block
//   serves(code)                       whether it is better than the steps
//   set_states(states), run(given, positions, window_start), output(i)

/// What takes one position without the steps of a plan.
template <class S, class B>
concept single_position_of = requires(S s, const S fixed, typename B::stream_code code,
                                      model_parameters parameters, std::span<const std::int64_t> sizes,
                                      std::vector<kept_state> states, row_position furthest,
                                      std::span<const row_position> rows, typename S::given_inputs given,
                                      std::size_t i) {
  S(parameters, sizes, std::int64_t{1}, code.position); // with the capacity, and the most positions of a step
  S(fixed);
  { S::has_windows } -> std::convertible_to<bool>; // whether what is kept moves on in its memory
  s.set_states(states);
  { s.input(i, sizes) } -> std::same_as<void*>;
  { fixed.row() } -> std::same_as<typename S::one_row>; // inputs of one batch row, whose shapes are constants
  s.run(i, i, furthest, rows);                          // so many rows; see set_position
  { fixed.output(i) } -> std::same_as<const void*>;
  // Several positions of one row: each is taken from what is given, run, and left among all.
  { fixed.goes_one_by_one() } -> std::same_as<bool>;
  s.take(given, i);
  s.leave(i);
  { fixed.all().output(i) } -> std::same_as<const void*>;
};

namespace detail {

struct no_position_block {
  static constexpr bool exists = false;
};
template <class B, class step_model, dim time>
struct position_block_of {
  using type = no_position_block;
};
template <class B, class step_model, dim time>
requires requires { typename B::template position_block<step_model, time>; }
struct position_block_of<B, step_model, time> {
  using type = typename B::template position_block<step_model, time>;
};

} // namespace detail

/// What runs the step of a stream, or what is computed before the first.
template <class E>
concept streaming_engine = requires(E e, std::vector<kept_state> states, row_position furthest,
                                    std::span<const row_position> rows, std::span<const std::int64_t> sizes,
                                    std::size_t i) {
  e.set_states(states); // by their numbers
  /// Before a run: where windows begin, and where each row stands, all with the furthest if `rows` is empty.
  e.set_position(furthest, i, rows, sizes);
  e.go_beyond(i); // positions of so many rows go on without end
};

/// Whether B is a backend that runs streams of a declared model along `time`.
template <class B, class M, dim time, class step_model = detail::step_of<typename M::source, time>,
          class begin_model = detail::begin_of<typename M::source, time>>
concept streaming_backend_for = requires(typename B::stream_code code, typename B::model_code part,
                                         typename B::template single_position<step_model, time> single) {
  requires backend_for<B, step_model> && backend_for<B, begin_model>;
  requires streaming_engine<typename B::template engine<step_model>>;
  requires streaming_engine<typename B::template engine<begin_model>>;
  requires !decltype(single)::exists || single_position_of<decltype(single), B>;
  { B::template code_of_stream<M, time>() } -> std::same_as<typename B::stream_code>;
  part = code.step, part = code.begin;
};

} // namespace fovea::core
