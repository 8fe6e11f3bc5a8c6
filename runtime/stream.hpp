#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fovea/dsl/passes/stream.hpp>
#include <fovea/runtime/calls/single_position.hpp>
#include <fovea/runtime/compile.hpp>
#include <fovea/runtime/error.hpp>

namespace fovea {

/// What a stream remembers, to go on from later.
struct stream_state {
  std::vector<float> values;
  std::vector<std::int64_t> sizes; // of each symbol of the step, as call_sizes holds them
  std::int64_t position = 0;
  std::size_t window_start = 0;
  bool begun = false;
};

namespace detail {

/// A graph that a pass made of a declaration, behind the interface of a model.
template <class made>
struct derived_model {
  static constexpr auto image = image_of<made>();
  static constexpr graph_view view = image.view();
  using lowered = lowering<derived_model>;
  static constexpr std::int64_t parameters() {
    constexpr std::int64_t count = count_parameters(view);
    return count;
  }
};

/// What a list of capacities and the model itself say of every symbol.
std::vector<dim_size> full_capacity(graph_view graph, const char* name, std::span<const dim_size> capacity);

/// Of a list of capacities those of symbols that a graph has.
std::vector<dim_size> capacity_for(graph_view graph, std::span<const dim_size> capacity);

/// The states of a stream, side by side in one buffer.
class stream_memory {
public:
  /// `most_positions` between two begins, of which `most_new` in a step.
  stream_memory(const graph_view& g, std::span<const bool> live, std::span<const std::int64_t> capacity,
                int state_count, std::int64_t most_positions, std::int64_t most_new, int batch_dim);

  std::vector<simd::kept_state> places();
  std::span<float> values() { return {buffer_.data(), buffer_.size()}; }
  std::span<const float> values() const { return {buffer_.data(), buffer_.size()}; }
  void clear() {
    buffer_.fill(0);
    window_start_ = 0;
  }
  /// Where windows begin in their memory, in positions.
  std::size_t window_start() const { return window_start_; }
  void set_window_start(std::size_t at) { window_start_ = at; }
  /// Brings windows back to where they began, if `count` more positions would not fit behind them.
  void make_room(std::size_t count) {
    if (window_start_ + count > window_room_) bring_back();
  }
  /// Windows move on by so many positions.
  void advance(std::size_t count) { window_start_ += count; }
  /// Row i becomes what row from[i] was, at the sizes of the last call.
  void reorder(std::span<const std::size_t> from, std::span<const std::int64_t> sizes);

private:
  void bring_back();

  struct placed {
    std::size_t offset = 0, layer = 0, layers = 0;
    std::size_t batches = 0, rows = 0, position = 0, kept = 0; // of a cache; kept: positions of a window
    int node = -1;
  };

  graph_view graph_;
  std::vector<placed> states_;
  buffer buffer_, moved_;
  std::size_t window_start_ = 0, window_room_ = 0;
  int batch_dim_;
};

/// Whether what a step keeps or computes depends on how many positions went before, beyond that there were
/// some: all keys and values, numbered positions.
constexpr bool counts_positions(const graph_view& g) {
  for (int id = 0; id < g.node_count(); ++id) {
    const node& n = g.at(id);
    if (n.kind == op::cache && n.attributes[2] == 0) return true;
    if ((n.kind == op::rope || n.kind == op::sinusoidal) && n.second_number != 0) return true;
    if (n.kind == op::equal && g.at(g.operand(id, 0)).kind == op::position) continue; // is it the beginning?
    for (int k = 0; k < n.operand_count; ++k)
      if (g.at(g.operand(id, k)).kind == op::position) return true;
  }
  return false;
}

} // namespace detail

/// A model moving along a dim: stream<T>(model, weights, options) takes the next positions at each step, one
/// or several, and gives what the whole sequence would give there. Nothing is allocated by a step. Serves one
/// thread at a time; a copy goes its own way from where the original stands.
///
/// The capacity of the dim bounds the positions of one step; and, where `counts_positions`, all positions
/// between two begins. Recurrences and convolutions without numbered positions run for ever.
template <class model, dim time>
class streamed {
  using source = typename model::source;
  using stepping = detail::streamed_step<source, time>;
  using step_model = detail::derived_model<stepping>;
  using begin_model = detail::derived_model<detail::streamed_begin<source, time>>;

public:
  static constexpr bool counts_positions = detail::counts_positions(step_model::view);

private:
  static constexpr bool keeps_values = stepping::result.kept_count > 0;
  using step_engine = detail::simd_engine<step_model>;
  using single_position = detail::single_position<step_model, time>;
  static constexpr int batch = single_position::batch;

public:
  streamed(const model& of, const weights& source_weights, const compile_options& options)
      : streamed(of, source_weights, options, detail::full_capacity(model::view, of.name, options.capacity)) {
  }
  streamed(const streamed& other)
      : most_positions_(other.most_positions_), most_new_(other.most_new_), capacity_(other.capacity_),
        step_sizes_(other.step_sizes_), begin_sizes_(other.begin_sizes_),
        step_capacity_(other.step_capacity_), begin_capacity_(other.begin_capacity_),
        step_(other.step_, step_capacity_), begin_(other.begin_, begin_capacity_), memory_(other.memory_),
        single_(other.single_), position_(other.position_), begun_(other.begun_) {
    use_memory();
  }
  streamed& operator=(const streamed&) = delete;

  /// Starts at position 0. Takes the inputs that have no axis of time, and computes once what depends on
  /// them.
  template <fixed_name... names, class... values>
  void begin(const binding<names, values>&... given) {
    if constexpr (detail::holds<detail::checked_call<begin_model, names...>,
                                detail::checked_value<begin_model, names, std::decay_t<values>>...>) {
      for (const dim_size& d : capacity_) {
        step_sizes_.hold(d.symbol, call_sizes::not_held);
        begin_sizes_.hold(d.symbol, call_sizes::not_held);
      }
      begin_sizes_.hold(time, 1);
      begin_sizes_.hold(positions_before, 1);
      begun_ = again_ = false;
      memory_.clear();
      position_ = 0;
      if constexpr (keeps_values) {
        begin_inputs_.resolve(begin_sizes_, given...);
        begin_inputs_.fill(begin_sizes_, begin_, given...);
        begin_.run(begin_sizes_.sizes());
        for (const dim_size& d : capacity_)
          if (!(d.symbol == time) && !(d.symbol == positions_before) && given_by_begin(d.symbol))
            step_sizes_.hold(d.symbol, begin_sizes_.size_of(d.symbol.name()));
      }
      begun_ = true;
    } else {
      detail::refuse<detail::checked_call<begin_model, names...>,
                     detail::checked_value<begin_model, names, std::decay_t<values>>...>();
    }
  }

  /// The next positions. Throws fovea::error that names the input before anything changes; the outputs are
  /// views until the next step.
  template <fixed_name... names, class... values>
  auto step(const binding<names, values>&... given) {
    if constexpr (detail::holds<detail::checked_call<step_model, names...>,
                                detail::checked_value<step_model, names, std::decay_t<values>>...>) {
      if constexpr (single_position::exists)
        if (again_ && position_ < most_positions_ && step_inputs_.same_shapes(given...)) {
          step_inputs_.fill(step_sizes_, *single_, given...);
          run_single();
          return call_outputs<step_model, step_engine>(step_, step_sizes_);
        }
      if (!begun_)
        throw error(step_sizes_.model_name() + ": stream: expected begin(...) before the first step");
      again_ = false; // whatever is refused below, its shapes are not those of a step
      hold_positions();
      step_inputs_.resolve(step_sizes_, given...);
      const std::int64_t count = step_sizes_.size_of(time.name());
      if (count > most_positions_ - position_)
        throw error(step_sizes_.model_name() + ": stream: expected at most " +
                    std::to_string(most_positions_) + " positions, the capacity of " + time.name() +
                    ", found " + std::to_string(count) + " more after " + std::to_string(position_));
      run_step(count, given...);
      for (const dim_size& d : capacity_)
        if (!(d.symbol == time)) step_sizes_.hold(d.symbol, step_sizes_.size_of(d.symbol.name()));
      return call_outputs<step_model, step_engine>(step_, step_sizes_);
    } else {
      detail::refuse<detail::checked_call<step_model, names...>,
                     detail::checked_value<step_model, names, std::decay_t<values>>...>();
      return refused_value{};
    }
  }

  /// Whether a small model takes a single position by one function, without the steps of its plan.
  static constexpr bool has_single_position = single_position::exists;

  /// How many positions have been taken.
  std::int64_t position() const { return position_; }
  /// The bytes of what is kept between steps, at capacity.
  std::int64_t state_bytes() const {
    return static_cast<std::int64_t>(memory_.values().size() * sizeof(float));
  }

  stream_state save() const {
    stream_state s{
        {memory_.values().begin(), memory_.values().end()}, {}, position_, memory_.window_start(), begun_};
    for (const dim_size& d : capacity_) s.sizes.push_back(step_sizes_.held(d.symbol));
    return s;
  }
  /// Goes on from what the same model, compiled at the same capacity, has saved. Throws fovea::error where it
  /// does not fit.
  void load(const stream_state& s) {
    if (s.values.size() != memory_.values().size() || s.sizes.size() != capacity_.size())
      throw error(step_sizes_.model_name() + ": stream: expected a state of " +
                  std::to_string(memory_.values().size()) + " numbers, found " +
                  std::to_string(s.values.size()));
    std::copy(s.values.begin(), s.values.end(), memory_.values().begin());
    for (std::size_t i = 0; i < capacity_.size(); ++i) step_sizes_.hold(capacity_[i].symbol, s.sizes[i]);
    memory_.set_window_start(s.window_start);
    position_ = s.position;
    begun_ = s.begun;
    again_ = false;
  }
  /// Batch row i goes on as row rows[i] was; there may be fewer than before, or more where capacity allows.
  void reorder(std::span<const std::size_t> rows) {
    static_assert(batch > 0, "the inputs of the step have no batch axis before time");
    const dim batch_symbol = step_model::view.dim_of(batch);
    const std::int64_t before = step_sizes_.held(batch_symbol);
    if (rows.empty() || static_cast<std::int64_t>(rows.size()) > step_capacity_[batch])
      throw error(step_sizes_.model_name() + ": stream: expected 1 to " +
                  std::to_string(step_capacity_[batch]) + " rows, found " + std::to_string(rows.size()));
    for (const std::size_t row : rows)
      if (static_cast<std::int64_t>(row) >= before)
        throw error(step_sizes_.model_name() + ": stream: expected rows from 0 to " +
                    std::to_string(before - 1) + ", found " + std::to_string(row));
    memory_.reorder(rows, step_sizes_.sizes());
    step_sizes_.hold(batch_symbol, static_cast<std::int64_t>(rows.size()));
    again_ = false;
  }

private:
  streamed(const model& of, const weights& source_weights, const compile_options& options,
           std::vector<dim_size> capacity)
      : most_positions_(counts_positions ? size_of_time(capacity) : std::numeric_limits<std::int64_t>::max()),
        most_new_(size_of_time(capacity)), capacity_(with_positions(std::move(capacity))),
        step_sizes_(step_model::view, of.name, detail::capacity_for(step_model::view, capacity_)),
        begin_sizes_(begin_model::view, of.name, detail::capacity_for(begin_model::view, capacity_)),
        step_capacity_(step_sizes_.sizes()), begin_capacity_(begin_sizes_.sizes()),
        step_(source_weights, names_of(of), step_capacity_, detail::threads_of<model>(options),
              simd::generated_code<typename step_model::lowered, simd::native>::steps.data()),
        begin_(source_weights, names_of(of), begin_capacity_, detail::threads_of<model>(options),
               simd::generated_code<typename begin_model::lowered, simd::native>::steps.data()),
        memory_(step_model::lowered::view, std::span(step_model::lowered::schedule.groups.live),
                step_capacity_, stepping::result.states, most_new_, most_new_, batch) {
    use_memory();
    if constexpr (single_position::exists)
      if (detail::is_small<model>(options)) single_.emplace(step_.parameters(), step_capacity_);
    if constexpr (begin_model::view.inputs.size() == 0) begin();
  }

  void use_memory() {
    states_ = memory_.places();
    step_.memory().set_states(states_);
    begin_.memory().set_states(states_);
  }
  static std::span<const name_rule> names_of(const model& of) {
    return {of.names, static_cast<std::size_t>(of.name_count)};
  }
  static std::int64_t size_of_time(const std::vector<dim_size>& capacity) {
    for (const dim_size& d : capacity)
      if (d.symbol == time) return d.size;
    return 0;
  }
  /// With the symbols that count the positions before a step.
  static std::vector<dim_size> with_positions(std::vector<dim_size> capacity) {
    capacity.push_back({positions_before, size_of_time(capacity)});
    for (const std::int32_t window : windows()) capacity.push_back({last_positions(window), window});
    return capacity;
  }
  /// The windows that the step keeps, each once.
  static std::vector<std::int32_t> windows() {
    std::vector<std::int32_t> found;
    for (const node& n : step_model::view.nodes)
      if (n.kind == op::cache && n.attributes[2] > 0 &&
          std::ranges::find(found, n.attributes[2]) == found.end())
        found.push_back(n.attributes[2]);
    return found;
  }
  /// The positions before a step, as its int32 counts them: where they only tell the beginning from later,
  /// there is no end.
  std::int64_t before() const {
    return std::min<std::int64_t>(position_, std::numeric_limits<std::int32_t>::max());
  }
  void hold_positions() {
    step_sizes_.hold(positions_before, position_);
    for (const node& n : step_model::view.nodes)
      if (n.kind == op::cache && n.attributes[2] > 0)
        step_sizes_.hold(last_positions(n.attributes[2]), std::min<std::int64_t>(position_, n.attributes[2]));
  }

  template <fixed_name... names, class... values>
  void run_step(std::int64_t count, const binding<names, values>&... given) {
    if constexpr (single_position::exists)
      if (count == 1 && single_) {
        step_inputs_.fill(step_sizes_, *single_, given...);
        for (std::size_t i = 0; i < step_model::view.outputs.size(); ++i)
          step_.set_output(i, single_->output(i));
        run_single();
        again_ = true;
        return;
      }
    step_inputs_.fill(step_sizes_, step_, given...);
    memory_.make_room(static_cast<std::size_t>(count));
    step_.memory().set_position(before(), memory_.window_start());
    step_.run(step_sizes_.sizes());
    memory_.advance(static_cast<std::size_t>(count));
    position_ += count;
  }
  void run_single() {
    memory_.make_room(1);
    const std::size_t rows = batch == 0 ? 1 : static_cast<std::size_t>(step_sizes_.sizes()[batch]);
    single_->run(states_.data(), memory_.window_start(), rows, before());
    memory_.advance(1);
    ++position_;
  }

  static constexpr bool given_by_begin(const dim& symbol) {
    for (const named_value& in : begin_model::view.inputs) {
      const shape& s = begin_model::view.at(in.node).shape;
      for (int axis = 0; axis < s.rank; ++axis)
        if (!begin_model::view.is_number(s.dims[axis]) && begin_model::view.dim_of(s.dims[axis]) == symbol)
          return true;
    }
    return false;
  }
  std::int64_t most_positions_, most_new_; // between two begins, and in a step
  std::vector<dim_size> capacity_;         // of every symbol
  call_sizes step_sizes_, begin_sizes_;
  std::vector<std::int64_t> step_capacity_, begin_capacity_;
  step_engine step_;
  detail::simd_engine<begin_model> begin_;
  detail::stream_memory memory_;
  std::vector<simd::kept_state> states_;
  std::optional<single_position> single_; // of a small stream that has one
  detail::call_inputs<step_model> step_inputs_;
  detail::call_inputs<begin_model> begin_inputs_;
  std::int64_t position_ = 0;
  bool begun_ = false, again_ = false; // again_: the last step took one position by single_
};

/// Makes a model that is causal along `time` move along it: stream<T>(model, weights, {.capacity = {{B, 1},
/// {T, 512}}}). The capacity of `time` is the most positions in a step, and where the model keeps or counts
/// them all (attention without a window, positions) between two begins; others go on without end. A model
/// that looks ahead is a compile-time error that names the operation. Throws fovea::error where weights,
/// capacity and model do not fit.
template <dim time, class M>
requires(M::well_formed) auto stream(const M& model, const weights& source,
                                     const compile_options& options = {}) {
  using stepping = detail::streamed_step<typename M::source, time>;
  if constexpr (stepping::error.empty()) {
    return streamed<M, time>(model, source, options);
  } else {
    static_cast<void>(sizeof(detail::report_of<stepping>));
    return refused_value{};
  }
}
template <dim time, class M>
requires(!M::well_formed) refused_value stream(const M&, const weights&, const compile_options& = {}) {
  return {};
}

} // namespace fovea
