#pragma once

#include <memory>
#include <span>
#include <vector>

#include <fovea/backends/buffer.hpp>
#include <fovea/backends/output_watcher.hpp>
#include <fovea/backends/pieces.hpp>
#include <fovea/backends/simd/context.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/net_view.hpp>
#include <fovea/backends/simd/steps.hpp>
#include <fovea/backends/simd/times_wanted.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/weights/parameters.hpp>

namespace fovea::core::simd {

/// How a parameter that is learned is packed: in float32, with `rounds` of rounded values, or all its panels in
/// bfloat16.
struct learned_packing {
  pack_args floats = {};
  bool rounds = false;
  bfloat_pack_args bfloats = {};
};

/// What all copies of a compiled model share: parameters, and weights packed for the instruction set in use.
struct shared_weights {
  kernel_table kernels;
  model_parameters parameters;
  std::vector<const float*> values;
  std::vector<packed_panels> panels;
  std::vector<std::shared_ptr<const packed>> kept;
  std::vector<packed_scan> scans; // for each region
  prepared_weights products;
  // Of parameters that are being learned: panels of their own, which are packed again after each change, and the
  // products of numbers rounded to bfloat16, empty where none are.
  std::vector<bool> rounded;
  std::vector<packed> learned_panels;
  std::vector<learned_packing> packing;
  std::vector<packed> scan_panels;
  size_t in_place = 0;    // bytes of panels that are read where the checkpoint has them
  bool in_memory = false; // more than caches hold

  shared_weights(const graph_view& graph, const plan_view& plan, model_parameters from,
                 const model_code& code, thread_pool& pool);
  ~shared_weights();

  /// Lets go of the values of large parameters that no step reads where they lie, once they are packed.
  void let_go(const graph_view& graph, const plan_view& plan);
  /// Packs again what was packed of parameters that have changed, but for scans.
  void pack_again(const graph_view& graph, const plan_view& plan, thread_pool& pool);
  /// Packs the parameters of a scan that is one function, anew where they are packed already.
  void pack_scan(const graph_view& graph, const plan_view& plan, const scan_nodes& nodes,
                 const generated_step& code);

private:
  /// The table of a gather, where it is a parameter that is kept in a format; else -1.
  int formatted_table(const graph_view& graph, int id) const;
  /// Whether a gather takes its rows from the panels of a product, or of a format.
  bool gathers_from_panels(const graph_view& graph, int id) const;
  void pack_parameter(const graph_view& graph, int parameter, bool from_columns, const format_code* format,
                      thread_pool& pool, bool rounds = false);
  /// Makes room for panels of a parameter that is learned.
  void add_learned(packed_panels& panel, pack_args pack, bool from_columns, bool rounds);
  void pack_learned(thread_pool& pool) const;
};

/// The memory and threads of one compiled model: nothing is allocated after it is made.
class engine {
public:
  engine(const graph_view& graph, const plan_view& plan, std::shared_ptr<const shared_weights> weights,
         std::span<const std::int64_t> capacity, std::shared_ptr<thread_pool> pool);
  engine(engine&&);
  ~engine();

  /// Has calls read input i from where it lies until it is given back. False where they may write there: it
  /// is an output of the call before.
  bool lend(std::size_t i, std::span<const float> values);
  void give_back(std::size_t i) { lent_[i] = nullptr; }
  /// A context for a call of the given sizes; slots stand where they stood at first.
  context begin(std::span<const std::int64_t> sizes);
  /// Has the steps of a call measured, and told to the watcher, until end_call, where someone asks.
  void begin_call(context& c, std::span<const std::int64_t> sizes, const generated_step* code) {
    if (are_wanted() || watcher_ != nullptr) [[unlikely]]
      watch_call(c, sizes, code);
  }
  void end_call(const context& c) {
    if (c.watched != nullptr) [[unlikely]]
      leave_call(*c.watched);
  }
  /// The parts of outputs that a call has before it ends, in the order in which it makes them; a watcher hears of them.
  const std::vector<output_part>& final_parts();
  void watch(output_watcher& watcher);
  /// Has calls leave out what these outputs alone need, which then have no values. To be called before final_parts.
  void leave_out(std::span<const std::size_t> outputs);
  /// Which steps calls leave out; empty: none.
  const std::vector<bool>& left_out() const { return left_out_; }
  /// Whether someone asks for times; around what runs in place of the steps of a plan, which is then measured.
  static bool are_wanted() { return times_wanted.load(std::memory_order_relaxed); }
  void begin_position(std::span<const std::int64_t> sizes, const generated_step* code);
  void end_position();
  /// An output of the call that `c` has run.
  const void* output(const context& c, int node) const;
  /// Makes the threads ready for a call of the given sizes.
  void expect(std::span<const std::int64_t> sizes);
  void reserve_scratch(scratch_floats needed);
  /// What a stream keeps, and how many positions it has taken before a call of the given sizes: each batch
  /// row by itself where they stand apart, else `rows` is empty.
  void set_states(std::vector<kept_state> states) { states_ = std::move(states); }
  void set_position(const row_position& at, size_t window_start, std::span<const row_position> rows,
                    std::span<const std::int64_t> sizes);
  /// Makes room for positions beyond those of one call, for so many batch rows.
  void go_beyond(size_t rows) { positions_.go_beyond(rows); }
  void set_random(random_state random) { random_ = random; }
  std::int64_t arena_bytes() const { return static_cast<std::int64_t>(arena_.size() * sizeof(float)); }
  size_t threads() const { return pool_->size(); }
  const shared_weights& weights() const { return *weights_; }
  const pieces& arena() const { return arena_; }
  /// The name of the model, there as long as it is, for what is told of it.
  void set_name(const char* name) { name_ = name; }
  net_view view(const generated_step* code) const;

private:
  step_times& times(const generated_step* code);
  static void leave_call(const watched_call& left);
  void watch_call(context& c, std::span<const std::int64_t> sizes, const generated_step* code);

  const graph_view& graph_;
  const plan_view& plan_;
  std::shared_ptr<const shared_weights> weights_;
  std::shared_ptr<thread_pool> pool_;
  position_tables positions_;
  pieces arena_, scratch_; // the slots; what each thread needs, and all together
  std::vector<float*> slots_;
  std::vector<const float*> lent_; // of each input
  std::vector<std::int64_t> layers_, times_;
  std::vector<kept_state> states_;
  row_position at_;
  const row_position* row_places_ = nullptr;
  size_t row_count_ = 0;
  size_t window_start_ = 0;
  random_state random_;
  // The work of a call of those sizes that were seen last: of each step in one pass, and of all.
  std::vector<std::int64_t> seen_sizes_, step_work_;
  std::int64_t call_work_ = 0;
  const char* name_ = "";
  std::unique_ptr<step_times> measured_; // once someone has asked
  std::unique_ptr<final_outputs> finals_;
  output_watcher* watcher_ = nullptr;
  std::vector<bool> left_out_, unwanted_; // steps, outputs
  watched_call watched_;                  // the call that is under way
  std::int64_t position_begin_ = 0;       // of the last one that was measured
};

} // namespace fovea::core::simd
