#include "preprocessing.hpp"

#include <picture/resize.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/json/parse_json.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace clip_program {
namespace {

using nlohmann::json;

/// Reads entries of an object, of which those that are left out are as usual.
class entries {
public:
  /// `place`: where the object stands.
  entries(std::string place, const json& all) : place_(std::move(place)), all_(all) {
    if (!all.is_object()) fail("an object", all);
  }

  void expect(const char* key, const json& only) const {
    if (const json found = all_.value(key, only); found != only) fail(key + (" to be " + only.dump()), found);
  }

  /// A number of pixels: one by itself, or these members of an object, all equal.
  std::size_t size(const char* key, std::initializer_list<const char*> members, std::size_t usual) const {
    constexpr int most = 1 << 14;
    const json found = all_.value(key, json(usual));
    json value = found;
    std::string form = "a number from 1 to " + std::to_string(most);
    if (found.is_object()) {
      form = "an object with " + form + " as ";
      for (const char* member : members) {
        form += (member == *members.begin() ? "" : " and ") + std::string(member);
        const json each = found.value(member, json());
        value = member == *members.begin() || value == each ? each : json();
      }
      if (found.size() != members.size()) value = json();
    }
    if (!value.is_number_integer() || value < 1 || value > most) fail(key + (" to be " + form), found);
    return value.get<std::size_t>();
  }

  std::array<double, 3> colours(const char* key, const std::array<double, 3>& usual, double least) const {
    const json found = all_.value(key, json(usual));
    const auto fits = [&](const json& x) { return x.is_number() && x.get<double>() > least; };
    if (!found.is_array() || found.size() != 3 || !std::ranges::all_of(found, fits))
      fail(key + std::string(" to be three numbers, for red, green and blue"), found);
    return found.get<std::array<double, 3>>();
  }

  [[noreturn]] void fail(const std::string& expected, const json& found) const {
    throw fovea::error(place_ + ": expected " + expected + ", found " + fovea::core::shown(found));
  }

private:
  std::string place_;
  const json& all_;
};

preprocessing preprocessing_of(const entries& from, std::size_t side) {
  preprocessing made;
  for (const char* step : {"do_resize", "do_center_crop", "do_rescale", "do_normalize"})
    from.expect(step, true);
  constexpr int bicubic = 3;
  from.expect("resample", bicubic);
  from.expect("rescale_factor", made.rescale);
  made.shortest_edge = from.size("size", {"shortest_edge"}, made.shortest_edge);
  made.side = from.size("crop_size", {"height", "width"}, made.side);
  made.mean = from.colours("image_mean", made.mean, -1);
  made.deviation = from.colours("image_std", made.deviation, 0);
  if (made.side != side) from.fail("crop_size to be the network's " + std::to_string(side), made.side);
  if (made.shortest_edge < side)
    from.fail("size to be at least the network's " + std::to_string(side), made.shortest_edge);
  return made;
}

} // namespace

preprocessing read_preprocessing(const std::filesystem::path& folder, std::size_t side) {
  const std::filesystem::path whole = folder / "processor_config.json",
                              own = folder / "preprocessor_config.json";
  if (std::filesystem::exists(whole)) {
    const fovea::core::json_document all = fovea::core::load_json(whole);
    if (all->is_object() && all->contains("image_processor"))
      return preprocessing_of({whole.string() + ": image_processor", all->at("image_processor")}, side);
  }
  if (!std::filesystem::exists(own))
    throw fovea::error(
        own.string() +
        ": no such file, and no image_processor in processor_config.json; a checkpoint's folder "
        "has one beside its weights");
  const fovea::core::json_document all = fovea::core::load_json(own);
  return preprocessing_of({own.string(), *all}, side);
}

pixels preprocessing::operator()(const picture::image& from) const {
  const std::size_t shorter = std::min(from.width, from.height);
  const std::size_t width = shortest_edge * from.width / shorter,
                    height = shortest_edge * from.height / shorter;
  const picture::image part =
      picture::resized(from, width, height, {(width - side) / 2, (height - side) / 2, side, side});
  pixels made(part.rgb.size());
  for (std::size_t i = 0; i < made.size(); ++i)
    made[i] = static_cast<float>((part.rgb[i] * rescale - mean[i % 3]) / deviation[i % 3]);
  return made;
}

} // namespace clip_program
