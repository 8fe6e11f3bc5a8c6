#pragma once

#include <lv2/atom/atom.h>
#include <lv2/patch/patch.h>
#include <lv2/urid/urid.h>

namespace amp_plugin {

inline constexpr const char* plugin_uri = "urn:fovea:amp";
inline constexpr const char* file_uri = "urn:fovea:amp#file";

/// As amp.ttl numbers them.
enum port : std::uint32_t { control, notify, sound_in, sound_out, input_gain, output_level };

/// The numbers of a host for what messages name.
struct uris {
  LV2_URID file, path, urid, object, get, set, property, value;

  explicit uris(LV2_URID_Map& map) {
    const auto number = [&](const char* uri) { return map.map(map.handle, uri); };
    file = number(file_uri);
    path = number(LV2_ATOM__Path), urid = number(LV2_ATOM__URID), object = number(LV2_ATOM__Object);
    get = number(LV2_PATCH__Get), set = number(LV2_PATCH__Set);
    property = number(LV2_PATCH__property), value = number(LV2_PATCH__value);
  }
};

} // namespace amp_plugin
