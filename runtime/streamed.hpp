#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fovea/backends/backend.hpp>
#include <fovea/runtime/calls/step_parts.hpp>
#include <fovea/runtime/compile.hpp>
#include <fovea/runtime/row_positions.hpp>
#include <fovea/runtime/stream_limits.hpp>
#include <fovea/runtime/stream_memory.hpp>
#include <fovea/runtime/stream_model.hpp>
#include <fovea/runtime/stream_refusals.hpp>

namespace fovea::core {

/// What a stream remembers, to go on from later.
struct stream_state {
  std::vector<float> values;
  std::vector<std::int64_t> sizes;     // of each symbol of the step, as call_sizes holds them
  std::vector<std::int64_t> positions; // of each row
  std::vector<std::int64_t> ends;      // of each row, as row_positions has them
  std::size_t window_start = 0;
  bool begun = false;
};

/// What one row of a stream remembers.
struct stream_row {
  std::vector<float> values;
  std::int64_t position = 0;
  std::int64_t end = no_end; // of its sequence, where that is known
};

/// A model moving along a dim: stream<T>(model, weights, options) takes the next positions at each step, one
/// or several, and gives what the whole sequence would give there. Nothing is allocated by a step. Serves one
/// thread at a time; a copy goes its own way from where the original stands.
///
/// A model that looks ahead, by a number of positions, gives them `latency` positions later: the first that
/// come out are zeros, and those that are still to come after the last step come out by `finish`.
///
/// Where strides divide the dim, a step takes a multiple of all of them; what has several positions for each
/// of the dim gives as many more. The capacity of the dim bounds the positions of one step and, where
/// `counts_positions`, all between two begins. Recurrences, convolutions and attention through a window run
/// for ever, sinusoidal and rotary positions with them.
template <class model, dim time, streaming_backend_for<model, time> backend>
class streamed : detail::refused_stream_calls<typename model::source, time> {
  using source = typename model::source;
  using stepping = detail::streamed_step<source, time>;
  using step_model = detail::step_of<source, time>;
  using begin_model = detail::begin_of<source, time>;
  using refused_calls = detail::refused_stream_calls<source, time>;

public:
  static constexpr bool counts_positions = detail::counts_positions(step_model::view);
  /// A step takes a multiple of so many positions: what the strides of the model divide the dim by.
  static constexpr std::int64_t stride = stepping::result.stride;
  /// By how many positions its outputs come later than what they belong to.
  static constexpr std::int64_t latency = stepping::result.latency;

private:
  static constexpr bool keeps_values = stepping::result.kept_count > 0;
  using step_engine = typename backend::template engine<step_model>;
  using begin_engine = typename backend::template engine<begin_model>;
  using single_position = typename backend::template single_position<step_model, time>;
  using row_rules = detail::checked_rows<source, time>;
  using order_rules = detail::checked_order<source, time>;
  static constexpr int batch = detail::batch_of(step_model::view, time);

public:
  streamed(const model& of, const model_weights& source_weights, const compile_options& options,
           weight_format format, const typename backend::stream_code& code) try
      : streamed(of, source_weights, options, core::formatted(model::view, format), code,
                 detail::full_capacity(model::view, of.name, options.capacity)) {
  } catch (const std::bad_alloc&) {
    refuse_memory(of.name, options.capacity);
  }
  streamed(const streamed& other)
      : limits_(other.limits_), capacity_(other.capacity_), step_sizes_(other.step_sizes_),
        begin_sizes_(other.begin_sizes_), step_capacity_(other.step_capacity_),
        begin_capacity_(other.begin_capacity_), step_(other.step_, step_capacity_),
        begin_(other.begin_, begin_capacity_), memory_(other.memory_), single_(other.single_),
        rows_(other.rows_), begun_(other.begun_) {
    use_memory();
  }
  streamed& operator=(const streamed&) = delete;

  /// Starts at position 0. Takes the inputs that have no axis of time, and computes once what depends on
  /// them.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<begin_model, names...>,
                         detail::checked_value<begin_model, names, std::decay_t<values>>...>
  void begin(const binding<names, values>&... given) {
    for (const dim_size& d : capacity_) {
      step_sizes_.hold(d.symbol, call_sizes::not_held);
      begin_sizes_.hold(d.symbol, call_sizes::not_held);
    }
    begin_sizes_.hold(time, 1);
    begin_sizes_.hold(positions_before, 1);
    begun_ = false;
    again_ = 0;
    memory_.clear();
    rows_.begin();
    if constexpr (keeps_values) {
      begin_inputs_.resolve(begin_sizes_, given...);
      begin_inputs_.fill(begin_sizes_, begin_, given...);
      begin_.run(begin_sizes_.sizes());
      for (const dim_size& d : capacity_)
        if (!(d.symbol == time) && !(d.symbol == positions_before) && given_by_begin(d.symbol))
          step_sizes_.hold(d.symbol, begin_sizes_.size_of(d.symbol.name()));
    }
    use_rows();
    step_sizes_.settle();
    begun_ = true;
  }
  using refused_calls::begin;

  /// The next positions. Throws fovea::error that names the input before anything changes; the outputs are
  /// views of the stream's memory, until the next step.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<step_model, names...>,
                         detail::checked_value<step_model, names, std::decay_t<values>>...>
  auto step(const binding<names, values>&... given) & {
    if constexpr (single_position::exists)
      if (again_ == 1 && has_room() &&
          step_inputs_.template is_row<typename single_position::one_row>(given...)) {
        step_inputs_.fill(step_sizes_, single_->row(), given...);
        run_single(1);
        return call_outputs<step_model>(outputs_);
      }
    take_step(given...);
    return call_outputs<step_model>(outputs_);
  }
  using refused_calls::end, refused_calls::finish, refused_calls::reorder, refused_calls::step;

  template <fixed_name... names, class... values>
  __attribute__((unavailable("the outputs are views of the stream, which ends here; keep it: auto live = "
                             "stream<T>(...); auto outputs = live.step(...); [F0292]"))) refused_value
  step(const binding<names, values>&...) && {
    return {};
  }
  template <class lengths, class... values>
  requires(!is_binding<lengths> && !std::convertible_to<const lengths&, std::span<const std::size_t>> &&
           sizeof...(values) > 0 && (is_binding<values> && ...)) //
      __attribute__((unavailable(
          "the lengths of rows are of another type; expected std::vector<std::size_t> or "
          "another span of std::size_t [F0293]"))) refused_value step(const lengths&, const values&...) {
    return {};
  }
  template <class first, class... values>
  requires(!(is_binding<values> && ...) ||
           (sizeof...(values) == 0 && !is_binding<first> &&
            !std::convertible_to<const first&, std::span<const std::size_t>>)) //
      __attribute__((unavailable("an input has no name; expected live.step(\"tokens\"_in = ids) [F0294]")))
      refused_value step(const first&, const values&...) {
    return {};
  }

  /// The same where row i takes its first lengths[i] positions alone, from 0 to all that are given: beyond
  /// them nothing changes of what it keeps, and its outputs are zeros. What is given there is not used, but
  /// is checked. Rows of one length go through the model together. The first such step makes room for itself.
  template <fixed_name... names, class... values>
  requires detail::holds<detail::checked_call<step_model, names...>,
                         detail::checked_value<step_model, names, std::decay_t<values>>...>
  auto step(std::span<const std::size_t> lengths, const binding<names, values>&... given) {
    if constexpr (detail::holds<row_rules>) {
      const std::int64_t count = resolve(given...);
      limits_.check_lengths(rows_, step_sizes_.sizes()[batch], lengths, count);
      parts_.reserve(step_capacity_);
      step_inputs_.fill(step_sizes_, parts_, given...);
      hold_sizes();
      run_parts(lengths, count);
      outputs_.set(parts_, step_sizes_);
      return call_outputs<step_model>(outputs_);
    } else {
      detail::refuse<row_rules>();
      return refused_value{};
    }
  }

  /// The sequence of each row ends, where it has not: gives the next `count` of the positions that are still
  /// to come, all `latency` of them by default, at most the capacity of the dim at once. What has no
  /// positions is then what the whole sequence would give.
  template <std::int64_t later = latency>
  requires(later > 0) auto finish(std::size_t count = static_cast<std::size_t>(later)) & {
    const auto more = static_cast<std::int64_t>(count);
    expect_begun();
    limits_.check_finish(rows_, count);
    rows_.end();
    hold_positions();
    settle_at(more);
    give_zeros();
    run_engine(more);
    memory_.advance(count);
    rows_.advance(more);
    outputs_.set(step_, step_sizes_);
    return call_outputs<step_model>(outputs_);
  }
  /// The sequence of a row ends where it stands: of what it is given from now on nothing is used, but for it
  /// the next `latency` positions come out.
  template <std::int64_t later = latency>
  requires(later > 0) void end(std::size_t row) {
    if (may_use_rows(row) && rows_.end_of(row) == no_end) rows_.end(row);
  }

  /// Whether a small model takes a single position by one function, without the steps of its plan.
  static constexpr bool has_single_position = single_position::exists;

  /// The most rows of the batch, its capacity.
  std::size_t most_rows() const { return rows_.most_rows(); }
  /// How many positions a row has taken.
  std::int64_t position(std::size_t row = 0) const { return rows_.of(row); }
  /// The bytes of what is kept between steps, at capacity.
  std::int64_t state_bytes() const { return static_cast<std::int64_t>(memory_.size() * sizeof(float)); }

  // Rows of the batch. Each throws fovea::error for a row that there is not.

  /// A row starts again at position 0; what `begin` has computed for it stays.
  void reset(std::size_t row) {
    if (!may_use_rows(row)) return;
    memory_.clear(row, step_sizes_.sizes());
    rows_.set(row, 0, no_end);
  }
  /// Row `to` becomes what row `from` is.
  void copy(std::size_t from, std::size_t to) {
    if (!may_use_rows(from) || !may_use_rows(to)) return;
    memory_.copy(from, to, step_sizes_.sizes());
    rows_.set(to, rows_.of(from), rows_.end_of(from));
  }
  stream_row save(std::size_t row) const {
    if (!may_use_rows(row)) return {};
    return {memory_.save(row, rows_.of(row), step_sizes_.sizes()), rows_.of(row), rows_.end_of(row)};
  }
  /// The row goes on from what a row of any stream of the same model has saved, at other capacities too.
  void load(std::size_t row, const stream_row& from) {
    if (!may_use_rows(row)) return;
    limits_.check_position(from.position, from.end);
    if (const std::size_t kept = memory_.load(row, from.position, step_sizes_.sizes(), from.values);
        kept != from.values.size())
      limits_.refuse("expected the " + std::to_string(kept) +
                     " numbers that a row of this model keeps after " + std::to_string(from.position) +
                     " positions, found " + std::to_string(from.values.size()));
    rows_.set(row, from.position, from.end);
  }

  stream_state save() const {
    stream_state s{memory_.save(), {}, {}, {}, memory_.window_start(), begun_};
    for (const dim_size& d : capacity_) s.sizes.push_back(step_sizes_.held(d.symbol));
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      s.positions.push_back(rows_.of(row));
      s.ends.push_back(rows_.end_of(row));
    }
    return s;
  }
  /// Goes on from what the same model, compiled at the same capacity, has saved. Throws fovea::error where it
  /// does not fit.
  void load(const stream_state& s) {
    check_state(s);
    memory_.load(s.values);
    for (std::size_t i = 0; i < capacity_.size(); ++i)
      if (!counts(capacity_[i].symbol)) step_sizes_.hold(capacity_[i].symbol, s.sizes[i]);
    memory_.set_window_start(s.window_start);
    rows_.use(s.positions.size());
    for (std::size_t row = 0; row < s.positions.size(); ++row) rows_.set(row, s.positions[row], s.ends[row]);
    hold_positions();
    step_sizes_.settle();
    begun_ = s.begun;
    again_ = 0;
  }
  /// Batch row i goes on as row rows[i] was; there may be fewer than before, or more where capacity allows.
  template <int rows_at = batch>
  requires(rows_at > 0) void reorder(std::span<const std::size_t> rows) {
    if constexpr (order_rules::error.empty())
      put_in_order(rows);
    else
      detail::refuse<order_rules>();
  }

private:
  streamed(const model& of, const model_weights& source_weights, const compile_options& options,
           const formatted_parameters& formats, const typename backend::stream_code& code,
           std::vector<dim_size> capacity)
      : limits_{of.name,
                time.name(),
                stride,
                latency,
                counts_positions ? size_of(time, capacity) : std::numeric_limits<std::int64_t>::max(),
                size_of(time, capacity)},
        capacity_(with_positions(std::move(capacity))),
        step_sizes_(step_model::view, of.name, detail::capacity_for(step_model::view, capacity_)),
        begin_sizes_(begin_model::view, of.name, detail::capacity_for(begin_model::view, capacity_)),
        step_capacity_(step_sizes_.sizes()), begin_capacity_(begin_sizes_.sizes()),
        step_(model_parameters(step_model::view, source_weights, of.names, formats), step_capacity_,
              detail::threads_of<model>(options, of.name), code.step),
        begin_(model_parameters(begin_model::view, source_weights, of.names, formats), begin_capacity_,
               detail::threads_of<model>(options, of.name), code.begin),
        memory_(step_model::lowered::view, std::span(step_model::lowered::schedule.groups.live),
                step_capacity_, stepping::result.states, limits_.most_new, stride, batch),
        rows_(batch == 0 ? 1 : static_cast<std::size_t>(step_capacity_[batch])) {
    if constexpr (single_position::exists)
      if (detail::is_small<model>(options) && formats.format == weight_format::f32) // its weights are float32
        single_.emplace(step_.parameters(), step_capacity_, limits_.most_new, code.position);
    use_memory();
    if constexpr (begin_model::view.inputs.size() == 0) begin();
  }

  void put_in_order(std::span<const std::size_t> rows) {
    const dim batch_symbol = step_model::view.dim_of(batch);
    limits_.check_order(rows, step_sizes_.held(batch_symbol), rows_.most_rows());
    memory_.reorder(rows, step_sizes_.sizes());
    rows_.reorder(rows);
    step_sizes_.hold(batch_symbol, static_cast<std::int64_t>(rows.size()));
    again_ = 0;
  }

  void use_memory() {
    if constexpr (!counts_positions) step_.go_beyond(rows_.most_rows());
    states_ = memory_.places();
    step_.set_states(states_);
    begin_.set_states(states_);
    if constexpr (single_position::exists)
      if (single_) single_->set_states(states_);
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
  void expect_begun() const {
    if (!begun_) limits_.refuse("expected begin(...) before the first step");
  }

  /// The sizes of a step; returns how many positions it takes.
  template <fixed_name... names, class... values>
  std::int64_t resolve(const binding<names, values>&... given) {
    expect_begun();
    again_ = 0; // whatever is refused below, its shapes are not those of a step
    hold_positions();
    step_inputs_.resolve(step_sizes_, given...);
    const std::int64_t count = step_sizes_.size_of(time.name());
    limits_.check_multiple(count);
    return count;
  }
  /// Whether one more position may come.
  bool has_room() const { return !counts_positions || rows_.furthest() < limits_.most_positions; }
  /// Whether a state is one that a stream like this saves.
  void check_state(const stream_state& s) const {
    const auto expect = [&](const char* what, std::size_t expected, std::size_t found, bool fits) {
      if (!fits)
        limits_.refuse(std::string("expected a state of ") + what + " " + std::to_string(expected) +
                       ", found " + std::to_string(found));
    };
    expect("numbers:", memory_.size(), s.values.size(), s.values.size() == memory_.size());
    expect("sizes:", capacity_.size(), s.sizes.size(), s.sizes.size() == capacity_.size());
    std::size_t rows = s.positions.size();
    for (std::size_t i = 0; i < capacity_.size(); ++i) {
      const dim_size& d = capacity_[i];
      if (counts(d.symbol) || s.sizes[i] == call_sizes::not_held) continue;
      if (s.sizes[i] < 1 || s.sizes[i] > d.size)
        limits_.refuse(std::string("expected a state of ") + d.symbol.name() + " = 1 to " +
                       std::to_string(d.size) + ", found " + std::to_string(s.sizes[i]));
      if constexpr (batch > 0)
        if (d.symbol == step_model::view.dim_of(batch)) rows = static_cast<std::size_t>(s.sizes[i]);
    }
    expect("rows, at most", rows_.most_rows(), rows, rows >= 1 && rows <= rows_.most_rows());
    expect("positions, one for each row:", rows, s.positions.size(), s.positions.size() == rows);
    expect("ends, one for each row:", rows, s.ends.size(), s.ends.size() == rows);
    for (std::size_t row = 0; row < rows; ++row) limits_.check_position(s.positions[row], s.ends[row]);
    if (!memory_.may_start_at(s.window_start, stride))
      limits_.refuse("expected a state whose windows lie in their memory, found them at " +
                     std::to_string(s.window_start));
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
  /// Whether a row can be used by itself; the error that says why it cannot.
  bool may_use_rows(std::size_t row) const {
    if constexpr (row_rules::error.empty()) {
      expect_begun();
      limits_.check_row(row, rows_);
      return true;
    } else {
      detail::refuse<row_rules>();
      return false;
    }
  }

  /// Any step; a function of its own, so that the little before it becomes part of the caller.
  template <fixed_name... names, class... values>
  [[gnu::noinline]] void take_step(const binding<names, values>&... given) {
    if constexpr (single_position::exists)
      if (again_ > 1 && has_room() && step_inputs_.same_shapes(given...)) {
        step_inputs_.fill(step_sizes_, *single_, given...);
        run_single(again_);
        return;
      }
    const std::int64_t count = resolve(given...);
    limits_.check_ends(rows_, count);
    limits_.check_room(count, rows_.furthest());
    run_step(count, given...);
    hold_sizes();
  }
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
    if constexpr (single_position::exists && stride == 1)
      if (single_ && single_->goes_one_by_one() && (batch == 0 || step_sizes_.sizes()[batch] == 1)) {
        run_one_by_one(static_cast<std::size_t>(count));
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
    memory_.make_room(static_cast<std::size_t>(count));
    std::span<const row_position> apart = rows_.apart();
    if constexpr (batch > 0) // there may be rows of which the call has none
      if (!apart.empty()) apart = apart.first(static_cast<std::size_t>(step_sizes_.sizes()[batch]));
    step_.set_position(rows_.together(), memory_.window_start(), apart, step_sizes_.sizes());
    step_.run(step_sizes_.sizes());
  }
  void run_single(std::size_t rows) {
    if constexpr (single_position::has_windows) memory_.make_room(1);
    single_->run(rows, memory_.window_start(), rows_.together(), rows_.apart());
    if constexpr (single_position::has_windows) memory_.advance(1);
    rows_.advance(1);
  }
  /// So many positions of the one row, which the inputs of the whole step have.
  void run_one_by_one(std::size_t count) {
    typename single_position::given_inputs given;
    for (std::size_t i = 0; i < given.size(); ++i)
      given[i] = static_cast<const float*>(step_.input(i, step_sizes_.sizes()));
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
  detail::stream_limits limits_;
  std::vector<dim_size> capacity_; // of every symbol
  call_sizes step_sizes_, begin_sizes_;
  std::vector<std::int64_t> step_capacity_, begin_capacity_;
  step_engine step_;
  begin_engine begin_;
  detail::stream_memory memory_;
  std::vector<kept_state> states_;
  std::optional<single_position> single_; // of a small stream that has one
  detail::call_inputs<step_model> step_inputs_;
  detail::call_inputs<begin_model> begin_inputs_;
  detail::step_parts<step_model, time, batch> parts_;
  detail::output_views<step_model> outputs_;
  detail::row_positions rows_;
  bool begun_ = false;
  std::size_t again_ = 0; // the rows of the last step, where it took one position by single_
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::stream_row;
} // namespace fovea
