#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <fovea/backends/backend.hpp>
#include <fovea/runtime/calls/step_parts.hpp>
#include <fovea/runtime/compile.hpp>
#include <fovea/runtime/row_positions.hpp>
#include <fovea/runtime/stream_limits.hpp>
#include <fovea/runtime/stream_memory.hpp>
#include <fovea/runtime/stream_model.hpp>

namespace fovea::core::detail {

/// What runs the steps of a stream: its engines, the sizes and the memory of its rows. `streamed` says what
/// its members mean to a user.
template <class model, dim time, streaming_backend_for<model, time> backend>
class stream_runner {
protected:
  using source = typename model::source;
  using stepping = streamed_step<source, time>;
  using step_model = step_of<source, time>;
  using begin_model = begin_of<source, time>;
  using step_engine = typename backend::template engine<step_model>;
  using begin_engine = typename backend::template engine<begin_model>;
  using single_position = typename backend::template single_position<step_model, time>;
  using position_block = typename position_block_of<backend, step_model, time>::type;

  static constexpr bool counts_positions = detail::counts_positions(step_model::view);
  static constexpr int batch = batch_of(step_model::view, time);
  static constexpr std::int64_t stride = stepping::result.stride, latency = stepping::result.latency;

  stream_runner(const model& of, const model_weights& source_weights, const compile_options& options,
                const formatted_parameters& formats, const typename backend::stream_code& code,
                std::vector<dim_size> capacity)
      : limits_{of.name,
                time.name(),
                stride,
                latency,
                counts_positions ? size_of(time, capacity) : std::numeric_limits<std::int64_t>::max(),
                size_of(time, capacity)},
        capacity_(with_positions(std::move(capacity))),
        step_sizes_(step_model::view, of.name, capacity_for(step_model::view, capacity_)),
        begin_sizes_(begin_model::view, of.name, capacity_for(begin_model::view, capacity_)),
        step_capacity_(step_sizes_.sizes()), begin_capacity_(begin_sizes_.sizes()),
        ranks_(of.name, options.group), step_(model_parameters(step_model::view, source_weights, of.names,
                                                               formats, ranks_.parameters(options.group)),
                                              step_capacity_, threads_of<model>(options, of.name), code.step),
        begin_(model_parameters(begin_model::view, source_weights, of.names, formats,
                                ranks_.parameters(options.group)),
               begin_capacity_, threads_of<model>(options, of.name), code.begin),
        memory_(step_model::lowered::view, std::span(step_model::lowered::schedule.groups.live),
                step_capacity_, stepping::result.states, limits_.most_new, stride, batch,
                options.cache.format, of.name),
        rows_(batch == 0 ? 1 : static_cast<std::size_t>(step_capacity_[batch])) {
    if constexpr (single_position::exists)
      if (is_small<model>(options) && formats.format == weight_format::f32) // its weights are float32
        single_.emplace(step_.parameters(), step_capacity_, limits_.most_new, code.position);
    if constexpr (position_block::exists)
      if (formats.format == weight_format::f32 && position_block::serves(code))
        block_.emplace(step_.parameters(), limits_.most_new, code.block);
    source_weights.let_go();
    name_engines();
    use_memory();
  }

  stream_runner(const stream_runner& other)
      : limits_(other.limits_), capacity_(other.capacity_), step_sizes_(other.step_sizes_),
        begin_sizes_(other.begin_sizes_), step_capacity_(other.step_capacity_),
        begin_capacity_(other.begin_capacity_), ranks_(other.ranks_), step_(other.step_, step_capacity_),
        begin_(other.begin_, begin_capacity_), memory_(other.memory_), single_(other.single_),
        block_(other.block_), rows_(other.rows_), begun_(other.begun_) {
    name_engines();
    use_memory();
  }
  stream_runner& operator=(const stream_runner&) = delete;

  void name_engines() {
    give_name(step_, step_sizes_.model_name().c_str());
    give_name(begin_, begin_sizes_.model_name().c_str());
  }
  void use_memory() {
    if constexpr (!counts_positions) step_.go_beyond(rows_.most_rows());
    states_ = memory_.places();
    step_.set_states(states_);
    begin_.set_states(states_);
    ranks_.tell(step_), ranks_.tell(begin_);
    if constexpr (single_position::exists)
      if (single_) single_->set_states(states_);
    if constexpr (position_block::exists)
      if (block_) block_->set_states(states_);
  }
  /// 0 where there is none.
  static std::int64_t size_of(const dim& symbol, const std::vector<dim_size>& capacity) {
    for (const dim_size& d : capacity)
      if (d.symbol == symbol) return d.size;
    return 0;
  }
  /// With the symbols that count the positions before a step.
  static std::vector<dim_size> with_positions(std::vector<dim_size> capacity) {
    capacity.push_back({positions_before, size_of(time, capacity)});
    for (const node& n : step_model::view.nodes)
      if (n.kind == op::cache && n.settings.cache.kept > 0) {
        const cache_settings& o = n.settings.cache;
        const dim_size last{last_positions(o.kept, o.rate), o.kept};
        if (size_of(last.symbol, capacity) == 0) capacity.push_back(last);
      }
    return capacity;
  }
  /// The symbols that count positions, at the row that has taken most.
  void hold_positions() {
    step_sizes_.hold(positions_before, rows_.furthest());
    for (const node& n : step_model::view.nodes)
      if (n.kind == op::cache && n.settings.cache.kept > 0) {
        const cache_settings& o = n.settings.cache;
        step_sizes_.hold(last_positions(o.kept, o.rate),
                         std::min<std::int64_t>(positions_at(o.rate, rows_.furthest()), o.kept));
      }
  }
  /// What a step has found out about its dims holds until the next begin.
  void hold_sizes() {
    for (const dim_size& d : capacity_)
      if (!(d.symbol == time)) step_sizes_.hold(d.symbol, step_sizes_.size_of(d.symbol.name()));
    use_rows();
  }
  void use_rows() {
    if constexpr (batch > 0)
      if (const std::int64_t rows = step_sizes_.held(step_model::view.dim_of(batch)); rows > 0)
        rows_.use(static_cast<std::size_t>(rows));
  }
  /// Whether a symbol counts positions, which a stream finds out by itself.
  static bool counts(const dim& symbol) {
    if (symbol == positions_before) return true;
    for (const node& n : step_model::view.nodes)
      if (n.kind == op::cache && n.settings.cache.kept > 0 &&
          symbol == last_positions(n.settings.cache.kept, n.settings.cache.rate))
        return true;
    return false;
  }
  void expect_begun() const {
    if (!begun_) limits_.refuse("expected begin(...) before the first step");
  }

  void forget_step() { again_ = again_in_block_ = 0; }
  /// The sizes of a step; returns how many positions it takes.
  template <fixed_name... names, class... values>
  std::int64_t resolve(const binding<names, values>&... given) {
    expect_begun();
    forget_step(); // whatever is refused below, its shapes are not those of a step
    hold_positions();
    step_inputs_.resolve(step_sizes_, given...);
    const std::int64_t count = step_sizes_.size_of(time.name());
    limits_.check_multiple(count);
    return count;
  }
  /// Whether one more position may come.
  bool has_room() const { return !counts_positions || rows_.furthest() < limits_.most_positions; }

  template <fixed_name... names, class... values>
  void run_step(std::int64_t count, const binding<names, values>&... given) {
    if constexpr (single_position::exists)
      if (count == 1 && single_) {
        step_inputs_.fill(step_sizes_, *single_, given...);
        outputs_.set(*single_, step_sizes_);
        const std::size_t rows = batch == 0 ? 1 : static_cast<std::size_t>(step_sizes_.sizes()[batch]);
        run_single(rows);
        again_ = rows;
        return;
      }
    step_inputs_.fill(step_sizes_, step_, given...);
    const bool is_one_row = batch == 0 || step_sizes_.sizes()[batch] == 1;
    if constexpr (single_position::exists && stride == 1)
      if (single_ && single_->goes_one_by_one() && is_one_row) {
        run_one_by_one(static_cast<std::size_t>(count));
        return;
      }
    if constexpr (position_block::exists)
      if (block_ && is_one_row) {
        run_block(static_cast<std::size_t>(count));
        outputs_.set(*block_, step_sizes_);
        again_in_block_ = static_cast<std::size_t>(count);
        return;
      }
    run_engine(count);
    outputs_.set(step_, step_sizes_);
    memory_.advance(static_cast<std::size_t>(count));
    rows_.advance(count);
  }
  /// Inputs for positions behind the last of a sequence.
  void give_zeros() {
    for (std::size_t i = 0; i < step_model::view.inputs.size(); ++i) {
      const shape& s = step_model::view.at(step_model::view.inputs[i].node).shape;
      std::size_t bytes = 4; // of a float or an int32
      for (int axis = 0; axis < s.rank; ++axis)
        bytes *= static_cast<std::size_t>(step_sizes_.sizes()[s.dims[axis]]);
      std::memset(step_.input(i, step_sizes_.sizes()), 0, bytes);
    }
  }
  void run_engine(std::int64_t count) {
    memory_.make_room(static_cast<std::size_t>(count), step_sizes_.sizes());
    std::span<const row_position> apart = rows_.apart();
    if constexpr (batch > 0) // there may be rows of which the call has none
      if (!apart.empty()) apart = apart.first(static_cast<std::size_t>(step_sizes_.sizes()[batch]));
    step_.set_position(rows_.together(), memory_.window_start(), apart, step_sizes_.sizes());
    step_.run(step_sizes_.sizes());
    ranks_.check();
  }
  /// Calls f, which runs the function of a position or of a block.
  template <class F>
  void run_function(const F& f) {
    bool is_measured = false;
    if constexpr (requires { step_.is_measured(); }) is_measured = step_.is_measured();
    if (is_measured) [[unlikely]]
      run_measured(f);
    else
      f();
  }
  template <class F>
  [[gnu::noinline, gnu::cold]] void run_measured(const F& f) {
    if constexpr (requires { step_.is_measured(); }) {
      step_.begin_position(step_sizes_.sizes());
      f();
      step_.end_position();
    }
  }
  void run_single(std::size_t rows) {
    if constexpr (single_position::has_windows) memory_.make_room(1, step_sizes_.sizes());
    run_function([&]() __attribute__((always_inline)) {
      single_->run(rows, memory_.window_start(), rows_.together(), rows_.apart());
    });
    if constexpr (single_position::has_windows) memory_.advance(1);
    rows_.advance(1);
  }
  /// The inputs of the whole step.
  auto all_inputs() {
    std::array<const float*, step_model::view.inputs.size()> given;
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = static_cast<const float*>(step_.input(i, step_sizes_.sizes()));
    return given;
  }
  void run_block(std::size_t count) {
    memory_.make_room(count, step_sizes_.sizes());
    run_function([&] { block_->run(all_inputs(), count, memory_.window_start()); });
    memory_.advance(count);
    rows_.advance(static_cast<std::int64_t>(count));
  }
  /// So many positions of the one row.
  void run_one_by_one(std::size_t count) {
    const auto given = all_inputs();
    for (std::size_t at = 0; at < count; ++at) {
      single_->take(given, at);
      run_single(1);
      single_->leave(at);
    }
    outputs_.set(single_->all(), step_sizes_);
  }
  /// From each length to the next, those rows that are not at their end.
  void run_parts(std::span<const std::size_t> lengths, std::int64_t count) {
    parts_.begin(step_sizes_.sizes());
    for (std::size_t done = 0;;) {
      std::size_t end = 0;
      for (const std::size_t length : lengths)
        if (length > done && (end == 0 || length < end)) end = length;
      if (end == 0) break;
      rows_.rest([&](std::size_t row) { return lengths[row] < end; });
      const auto taken = static_cast<std::int64_t>(end - done);
      hold_positions();
      settle_at(taken);
      parts_.give(step_, step_sizes_.sizes(), done, end - done);
      run_engine(taken);
      parts_.take(step_, step_sizes_.sizes(), done, end - done, rows_.places());
      memory_.advance(end - done, rows_.places(), step_sizes_.sizes());
      rows_.advance(taken);
      done = end;
    }
    rows_.settle();
    settle_at(count);
  }
  void settle_at(std::int64_t count) {
    forget_step();
    step_sizes_.hold(time, count);
    step_sizes_.settle();
    step_sizes_.hold(time, call_sizes::not_held);
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

  stream_limits limits_;
  std::vector<dim_size> capacity_; // of every symbol
  call_sizes step_sizes_, begin_sizes_;
  std::vector<std::int64_t> step_capacity_, begin_capacity_;
  ranks_of_model<step_model> ranks_;
  step_engine step_;
  begin_engine begin_;
  stream_memory memory_;
  std::vector<kept_state> states_;
  std::optional<single_position> single_; // of a small stream that has one
  std::optional<position_block> block_;   // likewise
  call_inputs<step_model> step_inputs_;
  call_inputs<begin_model> begin_inputs_;
  step_parts<step_model, time, batch> parts_;
  output_views<step_model> outputs_;
  row_positions rows_;
  bool begun_ = false;
  // Of the last step: its rows, where it took one position by single_; its positions, where block_ took them.
  std::size_t again_ = 0, again_in_block_ = 0;
};

} // namespace fovea::core::detail
