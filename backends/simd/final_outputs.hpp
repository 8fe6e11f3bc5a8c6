#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fovea/backends/output_watcher.hpp>
#include <fovea/dsl/graph_view.hpp>
#include <fovea/dsl/plan/plan.hpp>

namespace fovea::core::simd {

struct context;

/// After which step of a plan each float32 output of constant shape has its values, for who works with them while the
/// other steps run. What a repeat collects is final pass by pass.
class final_outputs {
public:
  /// Of all outputs but those that are `unwanted`; an empty list: none is.
  final_outputs(const graph_view& graph, const plan_view& plan, const std::vector<bool>& unwanted = {});

  /// In the order in which a call makes them final.
  const std::vector<output_part>& parts() const { return parts_; }

  void begin_call(output_watcher& watcher) { watcher_ = &watcher, next_ = 0; }
  /// Tells the watcher what step i has made final in this pass.
  void after(const context& c, int i);

private:
  struct made_output {
    std::int32_t step = -1;
    std::size_t output = 0;
    std::int32_t region = 0; // that collects it, or 0
    std::size_t count = 0;   // that one pass makes
  };
  std::size_t count_of(int node) const;
  made_output made_in(std::size_t output) const;
  void add_steps(int first, int last, std::int64_t pass);

  const graph_view& graph_;
  const plan_view& plan_;
  std::vector<std::vector<made_output>> made_; // of each step
  std::vector<output_part> parts_;
  output_watcher* watcher_ = nullptr;
  std::size_t next_ = 0;
};

} // namespace fovea::core::simd
