// An amp as hosts of LV2 call it.

#include "amp.hpp"
#include "feature.hpp"

#include <cstring>
#include <exception>

namespace amp_plugin {

namespace {

amp& of(LV2_Handle handle) { return *static_cast<amp*>(handle); }

/// No exception of C++ reaches a host.
template <class Result, class F>
Result guarded(Result failed, F f) noexcept {
  try {
    return f();
  } catch (const std::exception&) {
    return failed;
  }
}

LV2_Handle instantiate(const LV2_Descriptor*, double rate, const char*, const LV2_Feature* const* features) {
  const host found{.map = feature<LV2_URID_Map>(features, LV2_URID__map),
                   .worker = feature<LV2_Worker_Schedule>(features, LV2_WORKER__schedule),
                   .log = feature<LV2_Log_Log>(features, LV2_LOG__log)};
  if (found.map == nullptr || found.worker == nullptr) return nullptr; // amp.ttl requires them
  return guarded<LV2_Handle>(nullptr, [&] { return new amp(found, rate); });
}

LV2_Worker_Status work(LV2_Handle handle, LV2_Worker_Respond_Function, LV2_Worker_Respond_Handle,
                       std::uint32_t, const void* message) {
  return guarded(LV2_WORKER_ERR_UNKNOWN, [&] {
    of(handle).work(message);
    return LV2_WORKER_SUCCESS;
  });
}
/// run() finds by itself what the work made.
LV2_Worker_Status work_response(LV2_Handle, std::uint32_t, const void*) { return LV2_WORKER_SUCCESS; }

LV2_State_Status save(LV2_Handle handle, LV2_State_Store_Function store, LV2_State_Handle state,
                      std::uint32_t, const LV2_Feature* const* features) {
  return guarded(LV2_STATE_ERR_UNKNOWN, [&] { return of(handle).save(store, state, features); });
}
LV2_State_Status restore(LV2_Handle handle, LV2_State_Retrieve_Function retrieve, LV2_State_Handle state,
                         std::uint32_t, const LV2_Feature* const* features) {
  return guarded(LV2_STATE_ERR_UNKNOWN, [&] { return of(handle).restore(retrieve, state, features); });
}

const void* extension(const char* uri) {
  static const LV2_Worker_Interface worker{work, work_response, nullptr};
  static const LV2_State_Interface state{save, restore};
  if (std::strcmp(uri, LV2_WORKER__interface) == 0) return &worker;
  if (std::strcmp(uri, LV2_STATE__interface) == 0) return &state;
  return nullptr;
}

const LV2_Descriptor descriptor{
    plugin_uri,
    instantiate,
    [](LV2_Handle handle, std::uint32_t port, void* data) { of(handle).connect(port, data); },
    [](LV2_Handle handle) { guarded(0, [&] { return of(handle).activate(), 0; }); },
    [](LV2_Handle handle, std::uint32_t samples) { of(handle).run(samples); },
    nullptr,
    [](LV2_Handle handle) { delete static_cast<amp*>(handle); },
    extension};

} // namespace

} // namespace amp_plugin

LV2_SYMBOL_EXPORT const LV2_Descriptor* lv2_descriptor(std::uint32_t index) {
  return index == 0 ? &amp_plugin::descriptor : nullptr;
}
