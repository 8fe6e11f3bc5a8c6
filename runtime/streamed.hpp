#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fovea/backends/backend.hpp>
#include <fovea/runtime/compile.hpp>
#include <fovea/runtime/stream_refusals.hpp>
#include <fovea/runtime/stream_runner.hpp>

namespace fovea::core {

/// What a stream remembers, to go on from later.
struct stream_state {
  std::vector<float> values;
  std::vector<std::int64_t> sizes;     // of each symbol of the step, as call_sizes holds them
  std::vector<std::int64_t> positions; // of each row
  std::vector<std::int64_t> ends;      // of each row, as row_positions has them
  std::size_t window_start = 0;
  bool begun = false;
  weight_format cache = weight_format::f32; // what keys and values are kept in
};

/// What one row of a stream remembers.
struct stream_row {
  std::vector<float> values;
  std::int64_t position = 0;
  std::int64_t end = no_end; // of its sequence, where that is known
  weight_format cache = weight_format::f32;
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
class streamed : detail::refused_stream_calls<typename model::source, time>,
                 detail::stream_runner<model, time, backend> {
  using runner = detail::stream_runner<model, time, backend>;
  using source = typename model::source;
  using stepping = detail::streamed_step<source, time>;
  using step_model = detail::step_of<source, time>;
  using begin_model = detail::begin_of<source, time>;
  using refused_calls = detail::refused_stream_calls<source, time>;
  using single_position = typename backend::template single_position<step_model, time>;
  using position_block = typename detail::position_block_of<backend, step_model, time>::type;
  using row_rules = detail::checked_rows<source, time>;
  using order_rules = detail::checked_order<source, time>;
  using rewind_rules = detail::checked_rewind<source, time>;
  static constexpr bool keeps_values = stepping::result.kept_count > 0;
  static constexpr int batch = detail::batch_of(step_model::view, time);

public:
  static constexpr bool counts_positions = detail::counts_positions(step_model::view);
  /// A step takes a multiple of so many positions: what the strides of the model divide the dim by.
  static constexpr std::int64_t stride = stepping::result.stride;
  /// By how many positions its outputs come later than what they belong to.
  static constexpr std::int64_t latency = stepping::result.latency;

  streamed(const model& of, const model_weights& source_weights, const compile_options& options,
           weight_format format, const typename backend::stream_code& code) try
      : runner(of, source_weights, options, core::formatted(model::view, format), code,
               detail::full_capacity(model::view, of.name, options.capacity)) {
    if constexpr (begin_model::view.inputs.size() == 0) begin();
  } catch (const std::bad_alloc&) {
    refuse_memory(of.name, options.capacity);
  }
  streamed(const streamed&) = default;
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
    forget_step();
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

  /// Whether its newest positions can be forgotten: where the stream keeps all positions, or nothing.
  static constexpr bool can_rewind = rewind_rules::error.empty();
  /// Each row forgets its newest `count` positions, and goes on as if they had never come. Nothing is computed or moved.
  void rewind(std::size_t count) {
    if constexpr (can_rewind) {
      expect_begun();
      for (std::size_t row = 0; row < rows_.rows(); ++row) limits_.check_rewind(row, rows_, count);
      for (std::size_t row = 0; row < rows_.rows(); ++row)
        rows_.rewind(row, static_cast<std::int64_t>(count));
    } else {
      detail::refuse<rewind_rules>();
    }
  }

  /// Whether a small model takes a single position by one function, without the steps of its plan.
  static constexpr bool has_single_position = single_position::exists;

  /// The most rows of the batch, its capacity.
  std::size_t most_rows() const { return rows_.most_rows(); }
  /// How many positions a row has taken.
  std::int64_t position(std::size_t row = 0) const { return rows_.of(row); }
  /// The bytes of what is kept between steps, at capacity.
  std::int64_t state_bytes() const { return static_cast<std::int64_t>(memory_.size() * sizeof(float)); }

  // For explain: what runs a step, and what is computed before the first; the size of each dim of both.

  const auto& step_runs_on() const { return step_; }
  const auto& begin_runs_on() const { return begin_; }
  const std::vector<std::int64_t>& step_sizes() const { return step_sizes_.sizes(); }
  const std::vector<std::int64_t>& begin_sizes() const { return begin_sizes_.sizes(); }
  /// Whether a single position takes one function in place of the steps.
  bool takes_single_positions() const {
    if constexpr (single_position::exists)
      return single_.has_value();
    else
      return false;
  }

  /// Whether the positions of a call of one batch row take one function in place of the steps.
  bool takes_blocks() const {
    if constexpr (position_block::exists)
      return block_.has_value();
    else
      return false;
  }

  // Rows of the batch. Each throws fovea::error for a row that there is not.

  /// A row starts again at position 0; what `begin` has computed for it stays.
  void reset(std::size_t row) {
    if (!may_use_rows(row)) return;
    memory_.clear(row, step_sizes_.sizes());
    rows_.set(row, 0, no_end);
  }
  /// A row forgets its newest `count` positions, as all do above.
  void rewind(std::size_t row, std::size_t count) {
    if constexpr (can_rewind) {
      if (!may_use_rows(row)) return;
      limits_.check_rewind(row, rows_, count);
      rows_.rewind(row, static_cast<std::int64_t>(count));
    } else {
      detail::refuse<rewind_rules>();
    }
  }
  /// Row `to` becomes what row `from` is.
  void copy(std::size_t from, std::size_t to) {
    if (!may_use_rows(from) || !may_use_rows(to)) return;
    memory_.copy(from, to, step_sizes_.sizes());
    rows_.set(to, rows_.of(from), rows_.end_of(from));
  }
  stream_row save(std::size_t row) const {
    if (!may_use_rows(row)) return {};
    return {memory_.save(row, rows_.of(row), step_sizes_.sizes()), rows_.of(row), rows_.end_of(row),
            memory_.format()};
  }
  /// The row goes on from what a row of any stream of the same model has saved, at other capacities too.
  void load(std::size_t row, const stream_row& from) {
    if (!may_use_rows(row)) return;
    limits_.check_position(from.position, from.end);
    limits_.check_cache(memory_.format(), from.cache);
    if (const std::size_t kept = memory_.load(row, from.position, step_sizes_.sizes(), from.values);
        kept != from.values.size())
      limits_.refuse("expected the " + std::to_string(kept) +
                     " numbers that a row of this model keeps after " + std::to_string(from.position) +
                     " positions, found " + std::to_string(from.values.size()));
    rows_.set(row, from.position, from.end);
  }

  stream_state save() const {
    stream_state s{memory_.save(), {}, {}, {}, memory_.window_start(), begun_, memory_.format()};
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
    forget_step();
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
  using runner::again_, runner::again_in_block_, runner::begin_, runner::block_, runner::begin_inputs_,
      runner::begin_sizes_, runner::begun_, runner::capacity_, runner::limits_, runner::memory_,
      runner::outputs_, runner::parts_, runner::rows_, runner::single_, runner::step_, runner::step_capacity_,
      runner::step_inputs_, runner::step_sizes_;
  using runner::counts, runner::expect_begun, runner::forget_step, runner::give_zeros, runner::given_by_begin,
      runner::has_room, runner::hold_positions, runner::hold_sizes, runner::resolve, runner::run_block,
      runner::run_engine, runner::run_parts, runner::run_single, runner::run_step, runner::settle_at,
      runner::use_rows;

  void put_in_order(std::span<const std::size_t> rows) {
    const dim batch_symbol = step_model::view.dim_of(batch);
    limits_.check_order(rows, step_sizes_.held(batch_symbol), rows_.most_rows());
    memory_.reorder(rows, step_sizes_.sizes());
    rows_.reorder(rows);
    step_sizes_.hold(batch_symbol, static_cast<std::int64_t>(rows.size()));
    forget_step();
  }

  /// Whether a state is one that a stream like this saves.
  void check_state(const stream_state& s) const {
    limits_.check_cache(memory_.format(), s.cache);
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
    if constexpr (position_block::exists)
      if (again_in_block_ > 0 && has_room() && step_inputs_.same_shapes(given...)) {
        step_inputs_.fill(step_sizes_, step_, given...);
        run_block(again_in_block_);
        return;
      }
    const std::int64_t count = resolve(given...);
    limits_.check_ends(rows_, count);
    limits_.check_room(count, rows_.furthest());
    run_step(count, given...);
    hold_sizes();
  }
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::stream_row;
} // namespace fovea
