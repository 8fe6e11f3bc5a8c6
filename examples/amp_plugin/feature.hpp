#pragma once

#include <lv2/core/lv2.h>

#include <cstring>

namespace amp_plugin {

/// What a host offers under a URI, or null.
template <class T>
T* feature(const LV2_Feature* const* features, const char* uri) {
  for (; features != nullptr && *features != nullptr; ++features)
    if (std::strcmp((*features)->URI, uri) == 0) return static_cast<T*>((*features)->data);
  return nullptr;
}

} // namespace amp_plugin
