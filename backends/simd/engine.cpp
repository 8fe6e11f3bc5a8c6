#include <fovea/backends/simd/engine.hpp>

#include <algorithm>
#include <new>
#include <string>

#include <fovea/backends/simd/final_outputs.hpp>
#include <fovea/backends/simd/format_code.hpp>
#include <fovea/backends/simd/kernel_choice.hpp>
#include <fovea/backends/simd/step_times.hpp>
#include <fovea/backends/simd/trace.hpp>
#include <fovea/backends/simd/work.hpp>
#include <fovea/dsl/plan/cost.hpp>
#include <fovea/weights/filter_rows.hpp>
#include <fovea/weights/panel_layout.hpp>
#include <fovea/weights/rounded_products.hpp>

namespace fovea::core::simd {

namespace {

constexpr size_t line = 16; // floats of a cache line, which no vector is longer than

packed in_other_panels(const panels_view& weights, size_t panel, thread_pool& pool) {
  const panels_view wanted{nullptr, weights.format, panel, weights.columns, weights.depth};
  packed made((wanted.bytes() + sizeof(float) - 1) / sizeof(float));
  pool.run((weights.columns + panel - 1) / panel, [&](size_t first, size_t last, size_t) {
    write_panels(weights, panel, first, last, reinterpret_cast<std::byte*>(made.data()));
  });
  return made;
}

/// The table of a gather, where it is a parameter; else -1.
int gathered_parameter(const graph_view& graph, int id) {
  const int table = graph.at(id).kind == op::gather ? graph.operand(id, 0) : -1;
  return table >= 0 && graph.at(table).kind == op::parameter ? table : -1;
}

} // namespace

shared_weights::shared_weights(const graph_view& graph, const plan_view& plan, model_parameters from,
                               const model_code& code, thread_pool& pool)
    : kernels(kernels_of(code)), parameters(std::move(from)),
      rounded(parameters.are_learned() && code.format != nullptr ? rounded_products(graph)
                                                                 : std::vector<bool>()) {
  products.prepare(graph, plan, parameters, kernels, pool);
  for (const weight_view& view : parameters.values()) values.push_back(view.data);
  panels.resize(2 * values.size());
  scans.resize(graph.regions.size());
  for (int id = 0; id < graph.node_count(); ++id) {
    const int weight = fixed_weight(graph, id), table = formatted_table(graph, id);
    if (!plan.live[id]) continue;
    if (weight >= 0 && products.of(id) == nullptr)
      pack_parameter(graph, weight, is_from_columns(graph, id), code.format, pool,
                     !rounded.empty() && rounded[static_cast<std::size_t>(id)]);
    if (table >= 0) pack_parameter(graph, table, false, code.format, pool);
  }
  pack_learned(pool);
  constexpr size_t cached = 16 << 20; // bytes, of the last cache that cores share
  size_t bytes = in_place;
  for (const auto& panels_of_one : kept) bytes += panels_of_one->size() * sizeof(float);
  in_memory = bytes > cached;
  if (!parameters.are_learned()) let_go(graph, plan);
}

shared_weights::~shared_weights() = default;

int shared_weights::formatted_table(const graph_view& graph, int id) const {
  const int table = gathered_parameter(graph, id);
  if (table < 0) return -1;
  const auto first = static_cast<std::size_t>(parameters.first(graph.at(table).settings.entry.index));
  const bool has_values = parameters.format(first) == weight_format::f32 && values[first] != nullptr;
  return has_values ? -1 : table;
}

void shared_weights::pack_parameter(const graph_view& graph, int parameter, bool from_columns,
                                    const format_code* format, thread_pool& pool, bool rounds) {
  const int p = graph.at(parameter).settings.entry.index;
  const weight_matrix matrix(graph, parameter);
  const size_t rows = matrix.rows, columns = matrix.depth();
  for (std::int64_t layer = 0; layer < graph.layers(parameter); ++layer) {
    const auto i = static_cast<std::size_t>(parameters.first(p) + layer);
    packed_panels& panel = panels[2 * i + from_columns];
    if (panel.data != nullptr) continue;
    panel.format = parameters.format(i);
    pack_args pack{.b = values[i],
                   .columns = from_columns ? columns : rows,
                   .depth = from_columns ? rows : columns,
                   .column_stride = from_columns ? 1 : columns,
                   .depth_stride = from_columns ? columns : 1};
    const auto pack_all = [&] {
      pool.run(kernels.pack->tasks(pack),
               [&](size_t first, size_t last, size_t) { kernels.pack->run(pack, first, last); });
    };
    if (parameters.are_learned()) {
      add_learned(panel, pack, from_columns, rounds);
      continue;
    }
    const panels_view& lie = parameters.values()[i].panels;
    if (are_read_in_place(lie, kernels.set.panel)) {
      panel.data = reinterpret_cast<const float*>(lie.data);
      in_place += lie.bytes();
      continue;
    }
    const std::string& name = parameters.name(p, layer);
    const std::string key = parameters.key(p, layer) + (from_columns ? " columns " : " rows ") +
                            name_of(panel.format) + " " + kernels.set.name;
    kept.push_back(parameters.source().packed_copy(key, [&] {
      if (lie.data != nullptr) return in_other_panels(lie, kernels.set.panel, pool);
      if (panel.format != weight_format::f32) {
        std::vector<float> of_filters;
        return format->pack(panel.format, rows_of(matrix, parameters.values()[i], of_filters), rows, columns,
                            kernels.set.panel, pool, name);
      }
      packed made(panel_floats(kernels.set.panel, pack.columns, pack.depth));
      pack.panels = made.data();
      pack_all();
      return made;
    }));
    panel.data = kept.back()->data();
  }
}

void shared_weights::add_learned(packed_panels& panel, pack_args pack, bool from_columns, bool rounds) {
  if (!rounds || kernels.bf16_product->in_float32) {
    learned_panels.emplace_back(panel_floats(kernels.set.panel, pack.columns, pack.depth));
    panel.data = pack.panels = learned_panels.back().data();
    packing.push_back({.floats = pack, .rounds = rounds});
    return;
  }
  panel.format = format_named<bf16_products>;
  const size_t count = (pack.columns + kernels.set.panel - 1) / kernels.set.panel;
  learned_panels.emplace_back(count * panel_bytes(panel.format, kernels.set.panel, pack.depth) /
                              sizeof(float));
  panel.data = learned_panels.back().data();
  const auto same = std::ranges::find(packing, pack.b, [](const learned_packing& p) { return p.bfloats.b; });
  learned_packing& how = same == packing.end() ? packing.emplace_back() : *same;
  how.bfloats.b = pack.b;
  how.bfloats.rows = from_columns ? pack.depth : pack.columns;
  how.bfloats.columns = how.bfloats.row = from_columns ? pack.columns : pack.depth;
  (from_columns ? how.bfloats.of_columns : how.bfloats.of_rows) =
      reinterpret_cast<unsigned char*>(learned_panels.back().data());
}

void shared_weights::pack_learned(thread_pool& pool) const {
  // Whole parameters at a time: most are too small to share one.
  pool.run(packing.size(), [&](size_t first, size_t last, size_t) {
    for (size_t i = first; i < last; ++i) {
      const learned_packing& p = packing[i];
      if (p.bfloats.b != nullptr) {
        kernels.pack_bfloats->run(p.bfloats, 0, kernels.pack_bfloats->tasks(p.bfloats));
        continue;
      }
      kernels.pack->run(p.floats, 0, kernels.pack->tasks(p.floats));
      if (!p.rounds) continue;
      const size_t panel = kernels.set.panel, rows = (p.floats.columns + panel - 1) / panel,
                   columns = panel * p.floats.depth;
      kernels.round_bfloats->run({.x = p.floats.panels,
                                  .out = p.floats.panels,
                                  .rows = rows,
                                  .columns = columns,
                                  .x_row = columns,
                                  .out_row = columns},
                                 0, rows);
    }
  });
}

void shared_weights::let_go(const graph_view& graph, const plan_view& plan) {
  std::vector<bool> read(graph.parameters.size(), false);
  const auto mark = [&](int id) {
    if (graph.at(id).kind == op::parameter)
      read[static_cast<std::size_t>(graph.at(id).settings.entry.index)] = true;
  };
  for (const named_value& out : graph.outputs) mark(out.node);
  for (int id = 0; id < graph.node_count(); ++id) {
    if (!plan.live[id]) continue;
    const bool has_weight = fixed_weight(graph, id) >= 0;
    for (int k = 0; k < graph.at(id).operand_count; ++k) {
      const int from = graph.operand(id, k);
      const bool in_panels = (has_weight && k == 1) || (k == 0 && gathers_from_panels(graph, id));
      if (!in_panels) mark(from);
    }
  }
  for (std::size_t p = 0; p < read.size(); ++p)
    for (auto i = static_cast<std::size_t>(parameters.first(static_cast<int>(p)));
         !read[p] && i < static_cast<std::size_t>(parameters.first(static_cast<int>(p) + 1)); ++i) {
      // What scans and single positions take of small ones is packed later.
      if (parameters.values()[i].size <= most_row_weights) continue;
      parameters.let_go(i);
      values[i] = nullptr;
    }
}

bool shared_weights::gathers_from_panels(const graph_view& graph, int id) const {
  const int table = gathered_parameter(graph, id);
  if (table < 0) return false;
  const auto first = static_cast<std::size_t>(parameters.first(graph.at(table).settings.entry.index));
  return panels[2 * first].data != nullptr;
}

void shared_weights::pack_again(const graph_view& graph, const plan_view& plan, thread_pool& pool) {
  pack_learned(pool);
  products.prepare(graph, plan, parameters, kernels, pool);
}

void shared_weights::pack_scan(const graph_view& graph, const plan_view& plan, const scan_nodes& nodes,
                               const generated_step& code) {
  const std::int64_t layers = graph.layers(graph.region(nodes.region).first);
  packed_scan& scan = scans[static_cast<std::size_t>(nodes.region)];
  if (scan.data == nullptr) {
    scan_panels.emplace_back(static_cast<size_t>(layers) * code.scan_packed_floats);
    scan = {scan_panels.back().data(), code.scan_packed_floats};
  }
  const row_nodes read{{nodes.weights, static_cast<std::size_t>(nodes.weight_count)},
                       {nodes.vectors, static_cast<std::size_t>(nodes.vector_count)},
                       graph.region(nodes.region).first};
  for (std::int64_t layer = 0; layer < layers; ++layer)
    code.scan_pack(row_parameters(graph, plan, parameters, read, layer).data(),
                   scan.data + static_cast<size_t>(layer) * code.scan_packed_floats);
}

// Here, and so not in each program.
engine::engine(engine&&) = default;
engine::~engine() = default;

engine::engine(const graph_view& graph, const plan_view& plan, std::shared_ptr<const shared_weights> weights,
               std::span<const std::int64_t> capacity, std::shared_ptr<thread_pool> pool)
    : graph_(graph), plan_(plan), weights_(std::move(weights)), pool_(std::move(pool)),
      positions_(graph, capacity) {
  write_trace_if_asked();
  std::vector<size_t> floats;
  for (int i = 0; i < plan.slot_count; ++i) {
    const auto size_of = [capacity](int d) { return capacity[static_cast<std::size_t>(d)]; };
    if (plan.slots[i].evaluate<double>(size_of) > most_floats) throw std::bad_alloc();
    floats.push_back(static_cast<size_t>(plan.slots[i].evaluate(size_of)) + line); // a vector reaches there
  }
  arena_ = pieces(floats);
  slots_.resize(floats.size());
  lent_.resize(graph.inputs.size());
  layers_.assign(graph.regions.size(), 0);
  times_.assign(graph.regions.size(), 0);
  seen_sizes_.reserve(capacity.size());
  step_work_.assign(static_cast<std::size_t>(plan.step_count), unknown_work);
  for (const node& n : graph.nodes)
    if (n.kind == op::state || n.kind == op::cache)
      states_.resize(std::max(states_.size(), static_cast<std::size_t>(kept_index(n) + 1)));
}

bool engine::lend(std::size_t i, std::span<const float> values) {
  const bool apart = !arena_.hold(values);
  lent_[i] = apart ? values.data() : nullptr;
  return apart;
}

context engine::begin(std::span<const std::int64_t> sizes) {
  for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i] = arena_[i];
  for (std::size_t i = 0; i < lent_.size(); ++i) // of which the plan writes none
    if (lent_[i])
      slots_[static_cast<std::size_t>(plan_.places[graph_.inputs[i].node].index)] =
          const_cast<float*>(lent_[i]);
  return {graph_,
          plan_,
          weights_->kernels,
          *pool_,
          slots_.data(),
          weights_->values.data(),
          weights_->panels.data(),
          weights_->products,
          weights_->parameters.first().data(),
          positions_,
          sizes.data(),
          layers_.data(),
          times_.data(),
          scratch_.data(),
          weights_->scans.data(),
          states_.data(),
          at_.before,
          at_.end,
          row_places_,
          row_count_,
          window_start_,
          random_,
          step_work_.data(),
          unknown_work,
          nullptr,
          weights_->in_memory,
          weights_->rounded.empty() ? nullptr : &weights_->rounded,
          left_out_.empty() ? nullptr : &left_out_};
}

void engine::watch_call(context& c, std::span<const std::int64_t> sizes, const generated_step* code) {
  watched_ = {are_wanted() ? &times(code) : nullptr, watcher_ == nullptr ? nullptr : finals_.get()};
  c.watched = &watched_;
  if (watched_.measured != nullptr) watched_.measured->begin_call(sizes);
  if (watched_.told != nullptr) watched_.told->begin_call(*watcher_);
}

void engine::leave_call(const watched_call& left) {
  if (left.measured != nullptr) left.measured->end_call();
}

const std::vector<output_part>& engine::final_parts() {
  if (finals_ == nullptr) finals_ = std::make_unique<final_outputs>(graph_, plan_, unwanted_);
  return finals_->parts();
}

void engine::watch(output_watcher& watcher) {
  final_parts();
  watcher_ = &watcher;
}

void engine::leave_out(std::span<const std::size_t> outputs) {
  unwanted_.assign(graph_.outputs.size(), false);
  for (const std::size_t i : outputs) unwanted_[i] = true;
  std::vector<named_value> wanted;
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i)
    if (!unwanted_[i]) wanted.push_back(graph_.outputs[i]);
  graph_view asked = graph_;
  asked.outputs = wanted;
  const auto live = std::make_unique<bool[]>(graph_.nodes.size());
  std::vector<std::int32_t> uses(graph_.nodes.size());
  struct {
    bool* live;
    std::int32_t* uses;
  } needed{live.get(), uses.data()};
  core::detail::find_live(asked, needed);
  const auto is_live = [&](int node) { return needed.live[node]; };
  left_out_.assign(static_cast<std::size_t>(plan_.step_count), true);
  for (int i = 0; i < plan_.step_count; ++i) {
    const step& s = plan_.steps[i];
    bool runs = false;
    if (s.kind == step_kind::loop_begin || s.kind == step_kind::loop_end) {
      const region_entry& r = graph_.region(s.node);
      for (int id = r.first; id < r.last; ++id) runs = runs || is_live(id);
    } else if (s.has_parts()) {
      for (int k = 0; k < s.count; ++k) runs = runs || is_live(plan_.parts[s.first + k]);
    } else {
      runs = is_live(s.node);
    }
    left_out_[static_cast<std::size_t>(i)] = !runs;
  }
}

step_times& engine::times(const generated_step* code) {
  if (measured_ == nullptr) measured_ = std::make_unique<step_times>(view(code));
  return *measured_;
}

void engine::begin_position(std::span<const std::int64_t> sizes, const generated_step* code) {
  times(code).begin_call(sizes);
  position_begin_ = step_times::now();
}

void engine::end_position() {
  measured_->add(timed_step::one_position, position_begin_);
  measured_->end_call();
}

net_view engine::view(const generated_step* code) const {
  return {name_, &graph_, &plan_, weights_.get(), code, pool_->size()};
}

const void* engine::output(const context& c, int node) const {
  const int b = plan_.base[node], copy = plan_.handed_on[b];
  if (copy < 0) return c.value(node);
  std::copy_n(c.value(b), c.elements(graph_.at(b).shape), c.slots[copy]);
  return c.slots[copy];
}

void engine::expect(std::span<const std::int64_t> sizes) {
  if (pool_->size() == 1) return;
  if (!std::equal(sizes.begin(), sizes.end(), seen_sizes_.begin(), seen_sizes_.end())) {
    seen_sizes_.assign(sizes.begin(), sizes.end());
    const auto size = [sizes](int d) { return sizes[static_cast<std::size_t>(d)]; };
    const auto lanes = static_cast<std::int64_t>(weights_->kernels.set.vector);
    call_work_ = 0;
    for (int i = 0; i < plan_.step_count; ++i) {
      const step& s = plan_.steps[i];
      const std::int64_t work = work_of(graph_, plan_, s, lanes, size);
      step_work_[static_cast<std::size_t>(i)] = work;
      if (s.kind != step_kind::loop_begin && s.kind != step_kind::loop_end)
        call_work_ += work * core::detail::passes(graph_, s.node, size);
    }
  }
  pool_->expect(call_work_);
}

void engine::set_position(const row_position& at, size_t window_start, std::span<const row_position> rows,
                          std::span<const std::int64_t> sizes) {
  at_ = at;
  row_places_ = rows.empty() ? nullptr : rows.data();
  row_count_ = rows.size();
  window_start_ = window_start;
  positions_.prepare(at.before, rows, sizes);
}

void engine::reserve_scratch(scratch_floats needed) {
  std::vector<size_t> floats(pool_->size(), needed.of_each);
  floats.push_back(needed.shared);
  scratch_ = pieces(floats, line);
}

} // namespace fovea::core::simd
