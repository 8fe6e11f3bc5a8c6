#include <fovea/runtime/describe/explain.hpp>

#include <fovea/runtime/describe/table.hpp>

namespace fovea::core {
namespace {

std::string text_of(const std::vector<explained_result>& results) {
  if (results.empty()) return {};
  std::int64_t bytes = 0;
  for (const explained_result& one : results) bytes += one.bytes;
  std::string text = results[0].offset < 0 ? "kept" : detail::grouped(results[0].offset);
  text += " + " + detail::grouped(bytes);
  return results[0].is_output ? text + ", output" : text;
}

std::string count_text(std::int64_t number) {
  return number == 0 ? "" : detail::rounded(static_cast<double>(number));
}

} // namespace

std::ostream& operator<<(std::ostream& out, const explanation& e) {
  out << e.model;
  if (!e.sizes.empty()) out << " at " << e.sizes;
  out << ": " << detail::rounded(static_cast<double>(e.flops()), "FLOPs") << ", "
      << detail::rounded(static_cast<double>(e.bytes()), "B") << " read and written, arena "
      << detail::grouped(e.arena_bytes) << " bytes, " << e.set << ", "
      << (e.threads == 1 ? "1 thread" : std::to_string(e.threads) + " threads") << "\n\n";
  detail::table text({true, false, false, false, false, true, true, true, false});
  text.add({"step", "computes", "kernel", "weights", "sizes", "passes", "FLOPs", "bytes", "result"});
  for (const explained_step& s : e.steps)
    text.add({std::to_string(s.step), std::string(2 * static_cast<std::size_t>(s.depth), ' ') + s.text,
              s.kernel, s.weights, s.sizes, std::to_string(s.passes), count_text(s.flops),
              count_text(s.parameter_bytes + s.value_bytes), text_of(s.results)});
  text.print(out);
  return out;
}

std::ostream& operator<<(std::ostream& out, const stream_explanation& e) {
  if (!e.begin.steps.empty()) out << "Once before the first step:\n" << e.begin << "\nIn each step:\n";
  out << e.step;
  if (e.has_single_position) out << "\nA single position takes one function in place of these steps.\n";
  if (e.has_blocks) out << "\nThe positions of one batch row take one function in place of these steps.\n";
  return out;
}

} // namespace fovea::core
