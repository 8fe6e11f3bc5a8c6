#include <fovea/weights/packed_weights.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>
#include <fovea/base/read_number.hpp>
#include <fovea/weights/filter_rows.hpp>
#include <fovea/weights/rounded_depth.hpp>

#include <algorithm>
#include <bit>

namespace fovea::core {
namespace {

constexpr std::size_t least_panel = 2, most_panel = 1024; // of any set

std::size_t number_of(const std::map<std::string, std::string>& metadata, const char* key) {
  const auto found = metadata.find(key);
  const std::string text = found == metadata.end() ? "nothing" : found->second;
  const auto number = number_in<std::size_t>(text);
  if (!number) throw error(std::string(key) + ": expected a number; found " + in_quotes(text));
  return *number;
}

} // namespace

std::string packed_name(const std::string& parameter, std::span<const std::size_t> shape) {
  return parameter + " " + shape_text(shape);
}

std::optional<packed_layout> packed_layout_of(const std::map<std::string, std::string>& metadata) {
  if (!metadata.contains(packed_keys::version)) return std::nullopt;
  if (const std::size_t version = number_of(metadata, packed_keys::version); version != packed_keys::newest)
    throw error("expected packed weights of version " + std::to_string(packed_keys::newest) +
                "; found version " + std::to_string(version) + ": pack them again");
  const auto named = metadata.find(packed_keys::format);
  const std::string format = named == metadata.end() ? "nothing" : named->second;
  const auto* const known = std::ranges::find(all_formats::traits, format, &format_traits::name);
  if (known == std::end(all_formats::traits))
    throw error(std::string(packed_keys::format) + ": expected a format of weights; found " +
                in_quotes(format));
  const std::size_t panel = number_of(metadata, packed_keys::panel);
  if (panel < least_panel || panel > most_panel || !std::has_single_bit(panel))
    throw error(std::string(packed_keys::panel) + ": expected a power of two from " +
                std::to_string(least_panel) + " to " + std::to_string(most_panel) + "; found " +
                std::to_string(panel));
  return packed_layout{weight_format(known - std::begin(all_formats::traits)), panel};
}

panels_view panels_of(const stored_tensor& tensor, const packed_layout& layout,
                      std::span<const std::size_t> shape) {
  if (shape.size() < 2) throw error("expected values, since it is no matrix; found panels");
  const weight_matrix lies(shape);
  panels_view made{tensor.bytes.data(), layout.format, layout.panel, lies.rows, lies.depth()};
  if (const std::string problem = depth_problem(layout.format, made.depth); !problem.empty())
    throw error(problem);
  for (const element_type other : {element_type::q4_k, element_type::q6_k}) { // no two have as many bytes
    panels_view beside = made;
    beside.format = format_beside(layout.format, other);
    if (tensor.bytes.size() == beside.bytes()) return beside;
  }
  if (tensor.bytes.size() != made.bytes())
    throw error("expected " + std::to_string(made.bytes()) + " bytes of panels; found " +
                std::to_string(tensor.bytes.size()));
  return made;
}

} // namespace fovea::core
