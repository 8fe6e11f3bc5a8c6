#include "valid_graph.hpp"

#include <catch2/catch.hpp>

namespace fovea::core::test {
namespace {

class graph_check {
public:
  explicit graph_check(const graph_view& g) : g_(g) {
    check_regions();
    for (int id = 0; id < g.node_count() && fault_.empty(); ++id) check_node(id);
    check_tables();
  }
  const std::string& fault() const { return fault_; }

private:
  void expect(bool holds, int id, const std::string& what) {
    if (holds || !fault_.empty()) return;
    fault_ = id < 0 ? what : "node " + std::to_string(id) + ", " + word_of(g_.at(id)) + ": " + what;
  }
  bool is_around(int region, int inner) const {
    while (inner != region && inner != 0) inner = g_.region(inner).parent;
    return inner == region;
  }
  bool exists(std::int32_t id) const { return id >= 0 && id < g_.node_count(); }
  const shape& shape_of(int id) const { return g_.at(id).shape; }

  // Bodies lie inside those around them; each begins with what it carries, and leaves as much.
  void check_regions() {
    const auto count = static_cast<int>(g_.regions.size());
    for (int r = 1; r < count; ++r) {
      const region_entry& body = g_.region(r);
      const std::string name = "region " + std::to_string(r);
      bool any = false;
      for (int id = 0; id < g_.node_count(); ++id) any |= g_.at(id).region == r;
      if (!any && body.carried == 0) continue; // of a loop of which nothing is left
      expect(body.parent < count && !is_around(r, body.parent), -1, name + ": lies in itself");
      expect(0 <= body.first && body.first <= body.last && body.last <= g_.node_count(), -1,
             name + ": ends before it begins");
      if (!fault_.empty()) return;
      for (int id = 0; id < g_.node_count(); ++id)
        expect((id >= body.first && id < body.last) == is_around(r, g_.at(id).region), id,
               "is inside and outside of " + name);
      for (int k = 0; k < body.carried && fault_.empty(); ++k) {
        const int id = body.first + k, left = body.results[k];
        expect(id < body.last && g_.at(id).kind == op::carry && g_.at(id).region == r &&
                   g_.at(id).settings.carried.index == k && g_.at(id).settings.carried.region == r,
               -1, name + ": does not begin with what it carries");
        expect(exists(left) && left < body.last && is_around(g_.at(left).region, r), -1,
               name + ": leaves what it does not know");
        if (fault_.empty())
          expect(shape_of(left) == shape_of(id) && g_.at(left).type == g_.at(id).type, -1,
                 name + ": leaves another shape or type than it carries");
      }
    }
  }

  void check_node(int id) {
    const node& n = g_.at(id);
    const operation& o = operation_of(n.kind);
    expect(n.kind != op::none && o.of != family::recorded, id, "is no operation of a graph");
    expect(n.region < g_.regions.size() && n.scope < g_.scopes.size(), id, "its region or scope is none");
    expect(n.shape.rank <= shape::max_rank, id, "has too many axes");
    for (int i = 0; i < n.shape.rank; ++i)
      expect(n.shape[i] > 0 && n.shape[i] < g_.dim_numbers.size(), id, "its dims are none of the graph");
    expect(n.operand_count >= o.operands.least && n.operand_count <= o.operands.most, id,
           "has " + std::to_string(n.operand_count) + " operands");
    for (int k = 0; k < n.operand_count && fault_.empty(); ++k) {
      const int from = g_.operand(id, k);
      expect(exists(from) && from < id, id, "an operand is made after it");
      if (!fault_.empty()) return;
      const bool leaves = (n.kind == op::repeat_output || n.kind == op::scan_output) &&
                          g_.region(n.settings.carried.region).parent == n.region &&
                          is_around(g_.at(from).region, n.settings.carried.region);
      expect(is_around(g_.at(from).region, n.region) || leaves, id, "an operand is of a loop's body");
      expect(n.kind != op::scan_output || g_.at(from).region == n.settings.carried.region, id,
             "gives what is not of its loop");
    }
    if (fault_.empty()) check_meaning(id);
  }

  // Shapes and types, where they follow from the operands.
  void check_meaning(int id) {
    const node& n = g_.at(id);
    const auto of = [&](int k) -> const node& { return g_.at(g_.operand(id, k)); };
    if (operation_of(n.kind).positions == over::each)
      for (int k = 0; k < n.operand_count; ++k) {
        expect(of(k).shape.rank <= n.shape.rank, id, "an operand has more axes than it");
        for (int i = 1; i <= of(k).shape.rank && fault_.empty(); ++i)
          expect(same_size(of(k).shape[-i], n.shape[-i]) || is_one(of(k).shape[-i]), id,
                 "operand " + std::to_string(k) + " does not broadcast to its shape");
      }
    const family f = operation_of(n.kind).of;
    if (f == family::unary || f == family::binary)
      expect(n.type == core::detail::result_type(n.kind, of(0).type, of(f == family::unary ? 0 : 1).type), id,
             "is of another type than its operands say");
    switch (n.kind) {
      case op::linear:
        expect(of(1).shape.rank == 2 && of(0).shape[-1] == of(1).shape[1] && n.shape[-1] == of(1).shape[0],
               id, "its weights do not fit");
        break;
      case op::matmul:
        expect(of(0).shape[-1] == of(1).shape[-2] && n.shape[-2] == of(0).shape[-2] &&
                   n.shape[-1] == of(1).shape[-1],
               id, "its sides do not fit");
        break;
      case op::expert_linear:
        expect(of(1).shape.rank == 2 && of(0).shape[-1] == of(1).shape[1] &&
                   n.shape.rank == of(2).shape.rank + 1 && of(2).type == element::i32,
               id, "its weights or experts do not fit");
        break;
      case op::take_along:
        expect(n.shape == of(1).shape && of(1).type == element::i32 && n.type == of(0).type, id,
               "its indices do not fit");
        break;
      case op::transpose:
        expect(n.shape[-1] == of(0).shape[-2] && n.shape[-2] == of(0).shape[-1], id, "has other axes");
        break;
      case op::permute:
        for (int i = 0; i < n.shape.rank; ++i)
          expect(n.shape[i] == of(0).shape[n.settings.permute.order[i]], id, "has other axes");
        break;
      case op::carry:
      case op::repeat_output:
      case op::scan_output:
      case op::keep:
        expect(n.shape == of(0).shape && n.type == of(0).type, id,
               "is of another shape or type than its operand");
        break;
      case op::time_step:
        expect(n.shape.rank + 1 == of(0).shape.rank, id, "does not take one axis away");
        break;
      case op::stack:
        expect(n.shape.rank == of(0).shape.rank + 1, id, "does not add one axis");
        break;
      default:
        break;
    }
    if (operation_of(n.kind).settings == told::time)
      expect(n.settings.time.region != 0 && is_around(n.settings.time.region, n.region), id,
             "is of no loop around it");
    if (operation_of(n.kind).settings == told::window)
      expect(n.settings.window.index >= 0 &&
                 static_cast<std::size_t>(n.settings.window.index) < g_.windows.size(),
             id, "its window is none");
    if (operation_of(n.kind).settings == told::rope)
      expect(n.settings.rope.scaling < static_cast<int>(g_.scalings.size()), id, "its scaling is none");
  }
  /// Equal, or so wherever a stream stands: a step takes a multiple of all strides.
  bool same_size(std::uint16_t a, std::uint16_t b) const {
    const auto many = [](const char*) { return std::int64_t{720720}; };
    return a == b || (!g_.is_number(a) && !g_.is_number(b) && g_.size(a, many) == g_.size(b, many));
  }
  bool is_one(std::uint16_t d) const { return g_.is_number(d) && g_.number(d) == 1; }

  void check_tables() {
    for (std::size_t p = 0; p < g_.parameters.size() && fault_.empty(); ++p) {
      const parameter_entry& entry = g_.parameters[p];
      const std::string name = "parameter " + std::to_string(p);
      expect(exists(entry.node) && g_.at(entry.node).kind == op::parameter &&
                 g_.at(entry.node).settings.entry.index == static_cast<std::int32_t>(p),
             -1, name + ": its node is another");
      for (const std::int32_t made : {entry.gathered, entry.gradient})
        expect(made < 0 || (exists(made) && g_.at(made).region == 0), -1,
               name + ": what training makes of it is inside a loop");
    }
    for (std::size_t i = 0; i < g_.inputs.size() && fault_.empty(); ++i) {
      const named_value& in = g_.inputs[i];
      expect(exists(in.node) && g_.at(in.node).kind == op::input &&
                 g_.at(in.node).settings.entry.index == static_cast<std::int32_t>(i),
             -1, std::string("input ") + in.name + ": its node is another");
      expect(in.gradient < 0 || (exists(in.gradient) && shape_of(in.gradient) == shape_of(in.node)), -1,
             std::string("input ") + in.name + ": its gradient has another shape");
    }
    for (const named_value& out : g_.outputs)
      expect(exists(out.node) && g_.at(out.node).region == 0, -1,
             std::string("output ") + out.name + ": is inside a loop");
  }

  const graph_view& g_;
  std::string fault_;
};

} // namespace

std::string graph_fault(const graph_view& g) { return graph_check(g).fault(); }

void check_valid(const graph_view& g, const char* after) {
  INFO("after " << after);
  CHECK(graph_fault(g) == "");
}

} // namespace fovea::core::test
