#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fovea/backends/dropout.hpp>
#include <fovea/backends/simd/generated.hpp>
#include <fovea/backends/simd/kernels/table.hpp>
#include <fovea/backends/simd/position_tables.hpp>
#include <fovea/backends/simd/prepared_weights.hpp>
#include <fovea/backends/simd/work.hpp>
#include <fovea/base/threads.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/plan/plan.hpp>
#include <fovea/dsl/stream_rate.hpp>

namespace fovea::core::simd {

/// The packed parameters of a small scan, one set for each layer of the repeats around it.
struct packed_scan {
  float* data = nullptr;
  size_t layer = 0;
};

/// A parameter as products read it; null where none does.
struct packed_panels {
  const void* data = nullptr;
  weight_format format = weight_format::f32;
};

class step_times;
class final_outputs;

/// What the tasks that a step hands to threads at once cost, in any unit: all, beside what else the step hands out; and
/// each beside the others, where they differ.
struct task_costs {
  double all = 1;
  const void* args = nullptr;
  double (*each)(const void* args, size_t task) = nullptr;
};

inline task_costs costs_of() { return {}; }
inline task_costs costs_of(const auto&) { return {}; }
inline task_costs costs_of(const pack_args& a) { return {static_cast<double>(a.columns * a.depth)}; }
inline task_costs costs_of(const product_args& a) {
  size_t columns = 0;
  for (size_t p = 0; p < a.part_count; ++p) columns += a.parts[p].columns;
  return {static_cast<double>(a.rows * a.depth * columns) / multiply_adds_of_element};
}

/// What is done after each step of a call: its time is taken, what it has made final is told. Null: not that.
struct watched_call {
  step_times* measured = nullptr;
  final_outputs* told = nullptr;
};

/// What the steps of one call work with: where each value lies, and the sizes of this call.
struct context {
  const graph_view& graph;
  const plan_view& plan;
  const kernel_table& kernels;
  thread_pool& pool;
  float** slots;                  // the address of each slot; loops exchange them
  const float* const* parameters; // [first_parameter[p] + layer]
  const packed_panels* panels;    // [2 * (first_parameter[p] + layer) + whether packed from columns]
  const prepared_weights& products;
  const std::int32_t* first_parameter; // for each parameter of the graph
  const position_tables& positions;
  const std::int64_t* sizes; // for each dim of the graph
  std::int64_t* layers;      // the current layer of each region, counted through the repeats around it
  std::int64_t* times;       // the current step of each region that is a scan
  float* const* scratch;     // of each thread, and of all together
  const packed_scan* scans;  // for each region
  const kept_state* states;
  std::int64_t before;            // positions that a stream took in earlier calls
  std::int64_t end;               // how many its sequence has; no_end while that is not known
  const row_position* row_places; // of each batch row, where rows stand apart; else null
  size_t row_count;               // of them
  size_t window_start;            // where the windows of a stream begin in their memory, in positions
  random_state random;            // of what training draws
  const std::int64_t* step_work;  // of each step in one pass, as work_of says
  std::int64_t work;              // of what the current step runs
  const generated_step* code;     // of the current step
  bool weights_in_memory;         // there are more of them than caches hold
  const std::vector<bool>* rounded =
      nullptr; // products that round both sides where a model learns so; else null
  const std::vector<bool>* left_out = nullptr; // steps that no output needs that is asked for; null: none
  const watched_call* watched = nullptr;       // this call, where someone asks

  /// The positions that a batch row took before, and those of its sequence.
  std::int64_t before_row(size_t row) const {
    return row_places == nullptr ? before : row_places[row].first();
  }
  std::int64_t end_row(size_t row) const { return row_places == nullptr ? end : row_places[row].end; }
  /// How many positions what a node works on lies behind those that a step is given.
  std::int64_t behind(int node) const {
    const lag& l = graph.at(node).lag;
    return l.positions + l.each_layer * layers[graph.at(node).region];
  }
  /// The batch row of place `at` of an axis of `size` that has the batch, with heads or other parts of each
  /// row behind it.
  size_t row_of(size_t at, size_t size) const { return row_places == nullptr ? at : at / (size / row_count); }
  /// Of the positions of a node that turns by them, in one batch row.
  const float* angles(int node, size_t row) const {
    return positions.angles(node, row_places == nullptr ? 0 : row, before_row(row), behind(node),
                            size(graph.at(node).shape[-2]));
  }
  bool is_idle(size_t row) const { return row_places != nullptr && row_places[row].idle; }

  size_t size(int d) const { return static_cast<size_t>(sizes[d]); }
  const shape& shape_of(int id) const { return graph.at(id).shape; }
  size_t elements(const shape& s, int first, int last) const {
    size_t n = 1;
    for (int i = first; i < last; ++i) n *= size(s.dims[i]);
    return n;
  }
  size_t elements(const shape& s) const { return elements(s, 0, s.rank); }
  /// All axes but the last, as one.
  size_t rows(const shape& s) const { return elements(s, 0, s.rank - 1); }

  std::int32_t parameter_index(int node) const {
    return first_parameter[graph.at(node).settings.entry.index] +
           static_cast<std::int32_t>(layers[graph.at(node).region]);
  }
  const float* parameter(int node) const { return parameters[parameter_index(node)]; }
  const packed_panels& packed(int node, bool from_columns) const {
    return panels[2 * parameter_index(node) + from_columns];
  }

  bool rounds(int product) const { return rounded != nullptr && (*rounded)[static_cast<size_t>(product)]; }

  /// Of a product whose weights are prepared for it alone, in the current layer.
  const prepared_product& prepared(int id) const { return products.of(id)[layers[graph.at(id).region]]; }

  /// Whether a step reads its weights from their end: every other pass of a scan does, for what the pass
  /// before read last is what the caches still hold.
  bool reads_backward(int node) const {
    const int region = graph.at(node).region;
    return graph.region(region).is_scan() && times[region] % 2 != 0;
  }

  /// A value that is stored. int32 and boolean values are stored as int32.
  const float* value(int node) const {
    const int b = plan.base[node];
    switch (const place& p = plan.places[b]; p.where) {
      case lies::slot:
        return slots[p.index];
      case lies::each_pass:
        return slots[p.index] + pass_offset(b);
      case lies::parameter:
        return parameter(b);
      case lies::kept:
        return state(b);
      case lies::inside:
        return value(graph.operand(b, 0)) + part_offset(b);
      case lies::nowhere:
        break;
    }
    return nullptr;
  }
  const kept_state& state_of(int node) const { return states[plan.places[plan.base[node]].index]; }
  /// Floats from one position of what a stream keeps to the next.
  size_t kept_position(int node) const {
    return floats_of_position(graph, plan.base[node], state_of(node).format, sizes);
  }
  float* state(int node) const {
    const kept_state& s = state_of(node);
    const core::node& n = graph.at(node);
    float* data = s.data + static_cast<size_t>(layers[n.region]) * s.layer;
    if (n.kind != op::cache || n.settings.cache.kept == 0) return data;
    // Windows move on in their memory from call to call.
    return data +
           static_cast<size_t>(positions_at(n.settings.cache.rate, static_cast<std::int64_t>(window_start))) *
               kept_position(node);
  }
  /// Floats from one plane of a value to the next: the windows of a stream have room for more than they hold.
  size_t plane_of(int node, size_t held) const {
    if (graph.at(plan.base[node]).kind != op::cache) return held;
    return state_of(node).rows * kept_position(node);
  }
  const std::int32_t* integers(int node) const { return reinterpret_cast<const std::int32_t*>(value(node)); }
  float* result(int node) const {
    const int b = plan.base[node];
    const place& p = plan.places[b];
    return slots[p.index] + (p.where == lies::each_pass ? pass_offset(b) : 0);
  }
  /// Where the current pass's value lies among those of all passes.
  size_t pass_offset(int node) const {
    const core::node& n = graph.at(node);
    return static_cast<size_t>(times[n.kind == op::time_step ? n.settings.time.region : n.region]) *
           elements(n.shape);
  }

  /// Where what is read where it lies begins.
  size_t part_offset(int node) const {
    const core::node& n = graph.at(node);
    return n.kind == op::slice ? size(n.settings.slice.first) : pass_offset(node);
  }

  /// Tasks; by `told` who reads how a step falls into tasks knows what they cost.
  template <class F, class... args>
  void run(size_t tasks, F&& f, task_order order = {}, const args&... told) const {
    if (watched != nullptr) [[unlikely]]
      tell(tasks, order, costs_of(told...));
    pool.run(tasks, work, static_cast<F&&>(f), order);
  }
  /// All tasks of a kernel.
  template <class K, class args>
  void run(const K& kernel, const args& told) const {
    const auto f = [&](size_t first, size_t last, [[maybe_unused]] size_t thread) {
      if constexpr (requires { kernel.scratch; })
        kernel.run(told, first, last, scratch_of(thread));
      else
        kernel.run(told, first, last);
    };
    task_order order;
    if constexpr (requires { kernel.together(told); }) order.together = kernel.together(told);
    run(kernel.tasks(told), f, order, told);
  }
  /// Tells who reads how a step falls into tasks (step_times.hpp).
  [[gnu::cold]] void tell(size_t tasks, task_order order, const task_costs& costs) const;
  float* scratch_of(size_t thread) const { return scratch[thread]; }
  float* shared_scratch() const { return scratch[pool.size()]; }
};

} // namespace fovea::core::simd
