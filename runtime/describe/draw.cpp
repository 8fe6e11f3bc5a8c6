#include <fovea/runtime/describe/describe.hpp>

#include <fovea/dsl/graph_text.hpp>
#include <fovea/runtime/describe/labels.hpp>

#include <string>

namespace fovea::core {
namespace {

using namespace detail;

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    made += c;
  }
  return made + '"';
}

class drawing {
public:
  drawing(const graph_view& g, std::ostream& out) : g_(g), out_(out), uses_(first_uses(g)) {}

  void write(const char* name) {
    out_ << "digraph " << quoted(name) << " {\n"
         << "  node [shape=box, fontname=\"sans-serif\", fontsize=10, margin=\"0.1,0.05\"];\n"
         << "  edge [arrowsize=0.6];\n";
    write_region(0, 1);
    for (std::size_t i = 0; i < g_.outputs.size(); ++i)
      out_ << "  output" << i << " [shape=ellipse, label=" << quoted(g_.outputs[i].name) << "];\n";
    for (int id = 0; id < g_.node_count(); ++id) write_edges(id);
    for (std::size_t i = 0; i < g_.outputs.size(); ++i)
      out_ << "  n" << drawn(g_.outputs[i].node) << " -> output" << i << ";\n";
    out_ << "}\n";
  }

private:
  bool is_box(int id) const { return is_shown(g_.at(id).kind) || is_oval(id); }
  bool is_oval(int id) const { return g_.at(id).kind == op::input || g_.at(id).kind == op::carry; }
  /// The node that stands for one: seams are passed through.
  int drawn(int id) const {
    while (!is_box(id) && g_.at(id).operand_count > 0) id = g_.operand(id, 0);
    return id;
  }
  std::string label(int id) const {
    const node& n = g_.at(id);
    if (n.kind == op::input)
      return std::string(g_.inputs[static_cast<std::size_t>(n.settings.entry.index)].name) + "\n" +
             shape_text(g_, n.shape);
    if (n.kind == op::carry)
      return (g_.region(n.region).is_scan() ? "state\n" : "x\n") + shape_text(g_, n.shape);
    std::string text = word_of(n.kind);
    const std::vector<int>& parameters = uses_[static_cast<std::size_t>(id)];
    if (!parameters.empty()) text += " " + common_name(g_, parameters);
    return text + "\n" + shape_text(g_, n.shape);
  }
  void write_region(int region, int depth) {
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    for (int id = 0; id < g_.node_count(); ++id) {
      if (g_.at(id).region != region || !is_box(id)) continue;
      std::string text = quoted(label(id));
      for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "\\n");
      out_ << indent << 'n' << id << " [label=" << text << (is_oval(id) ? ", shape=ellipse" : "") << "];\n";
    }
    for (int inner = 1; inner < static_cast<int>(g_.regions.size()); ++inner) {
      if (g_.region(inner).parent != region) continue;
      out_ << indent << "subgraph cluster" << inner << " {\n"
           << indent << "  label=" << quoted(loop_text(g_, g_.region(inner)).text)
           << "; style=rounded; fontname=\"sans-serif\"; fontsize=10;\n";
      write_region(inner, depth + 1);
      const region_entry& r = g_.region(inner);
      for (int k = 0; k < r.carried; ++k)
        if (const int result = drawn(r.results[k]); is_box(result))
          out_ << indent << "  n" << result << " -> n" << r.first + k
               << " [style=dashed, constraint=false];\n";
      out_ << indent << "}\n";
    }
  }
  void write_edges(int id) {
    if (!is_box(id)) return;
    for (int k = 0; k < g_.at(id).operand_count; ++k) {
      const int from = drawn(g_.operand(id, k));
      if (is_box(from)) out_ << "  n" << from << " -> n" << id << ";\n";
    }
  }

  const graph_view& g_;
  std::ostream& out_;
  std::vector<std::vector<int>> uses_;
};

} // namespace

void draw(const graph_view& g, const char* name, std::ostream& out) { drawing(g, out).write(name); }

} // namespace fovea::core
