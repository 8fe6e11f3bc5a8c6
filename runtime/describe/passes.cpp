#include <fovea/runtime/describe/passes.hpp>

#include <fovea/dsl/graph_text.hpp>
#include <fovea/runtime/describe/labels.hpp>

#include <string>

namespace fovea::core {
namespace {

/// What an operation is called, with what makes a gradient of it.
std::string name_of(const node& n) {
  return std::string(word_in_graph(n.kind)) +
         (operation_of(n.kind).of == family::gradient ? "_gradient" : "");
}

/// What an operation is by name or number: "h.*.up.weight", 0.5, state 2.
std::string label_of(const graph_view& g, const node& n) {
  sentence text;
  switch (n.kind) {
    case op::input:
      text << " \"" << g.inputs[static_cast<std::size_t>(n.settings.entry.index)].name << '"';
      break;
    case op::parameter:
      text << " \"" << g.parameter_name(n.settings.entry.index).text << '"';
      break;
    case op::constant:
      text << ' ' << n.settings.number;
      break;
    case op::state:
    case op::keep:
    case op::cache:
      text << ' ' << kept_index(n);
      break;
    default:
      break;
  }
  return text.text;
}

std::string space(int depth) { return std::string(2 * static_cast<std::size_t>(depth + 1), ' '); }

/// One printing of a graph: loops are opened above the first of their operations and closed behind the last.
class printing {
public:
  printing(const graph_view& g, std::ostream& out) : g_(g), out_(out) {}

  void run() {
    for (int id = 0; id < g_.node_count(); ++id) {
      const node& n = g_.at(id);
      open(n.region, id);
      out_ << space(depth_of(n.region)) << '%' << id << " = " << name_of(n) << label_of(g_, n);
      for (int k = 0; k < n.operand_count; ++k) out_ << (k == 0 ? "(%" : ", %") << g_.operand(id, k);
      out_ << (n.operand_count > 0 ? ")  " : "  ");
      if (n.type != element::f32) out_ << core::name_of(n.type) << ' ';
      out_ << detail::shape_text(g_, n.shape) << '\n';
      for (int r = n.region; r != 0 && id == g_.region(r).last - 1; r = g_.region(r).parent) close(r);
    }
    for (const named_value& output : g_.outputs)
      out_ << "  output \"" << output.name << "\" = %" << output.node << '\n';
    for (std::size_t p = 0; p < g_.parameters.size(); ++p) {
      made_of(static_cast<int>(p), "new value", g_.parameters[p].gathered);
      made_of(static_cast<int>(p), "gradient", g_.parameters[p].gradient);
    }
  }

private:
  int depth_of(int region) const {
    int depth = 0;
    for (; region != 0; region = g_.region(region).parent) ++depth;
    return depth;
  }
  void open(int region, int id) {
    if (region == 0 || g_.region(region).first != id) return;
    open(g_.region(region).parent, id);
    out_ << space(depth_of(region) - 1) << loop_text(g_, g_.region(region)).text << ":\n";
  }
  void close(int region) {
    const region_entry& body = g_.region(region);
    if (body.carried == 0) return;
    out_ << space(depth_of(region)) << "leaves";
    for (int k = 0; k < body.carried; ++k) out_ << (k == 0 ? " %" : ", %") << body.results[k];
    out_ << '\n';
  }
  void made_of(int parameter, const char* what, std::int32_t id) {
    if (id >= 0)
      out_ << "  " << what << " of \"" << g_.parameter_name(parameter).text << "\" = %" << id << '\n';
  }

  const graph_view& g_;
  std::ostream& out_;
};

} // namespace

void describe(const pass_graph& of, std::ostream& out) {
  out << of.pass << ": " << of.graph->node_count() << " operations\n";
  printing(*of.graph, out).run();
}

void describe(std::span<const pass_graph> all, std::ostream& out) {
  for (const pass_graph& one : all) describe(one, out);
}

} // namespace fovea::core
