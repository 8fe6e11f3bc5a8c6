#include "amp.hpp"

#include "feature.hpp"

#include <fovea/base/error.hpp>

#include <lv2/atom/util.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <span>
#include <utility>

namespace amp_plugin {

using namespace play_amp_program;

namespace {

constexpr LV2_Atom free_retired{0, 0}; // a message to the worker; others are paths

/// Of a session, which may move files; and of a host whose sessions do not.
class path_map {
public:
  explicit path_map(const LV2_Feature* const* features)
      : map_(feature<LV2_State_Map_Path>(features, LV2_STATE__mapPath)),
        free_(feature<LV2_State_Free_Path>(features, LV2_STATE__freePath)) {}
  std::string stored(const std::string& path) const {
    return map_ ? taken(map_->abstract_path(map_->handle, path.c_str())) : path;
  }
  std::string opened(const std::string& path) const {
    return map_ ? taken(map_->absolute_path(map_->handle, path.c_str())) : path;
  }

private:
  std::string taken(char* path) const {
    std::string made(path);
    free_ ? free_->free_path(free_->handle, path) : std::free(path);
    return made;
  }

  LV2_State_Map_Path* map_;
  LV2_State_Free_Path* free_;
};

} // namespace

amp::amp(const host& of, double rate) : uris_(*of.map), worker_(*of.worker), rate_(rate) {
  lv2_log_logger_init(&log_, of.map, of.log);
  lv2_atom_forge_init(&forge_, of.map);
}

std::unique_ptr<amp::loaded> amp::load(std::string path) {
  auto made = std::make_unique<loaded>();
  made->path = std::move(path);
  if (made->path.empty()) return made;
  try {
    const nam_file file = read_nam(made->path);
    if (file.sample_rate && *file.sample_rate != rate_)
      throw fovea::error(fmt::format("{}: expected a session of {} Hz, as the file is for; found {} Hz",
                                     file.source, *file.sample_rate, rate_));
    made->network = network_of(file);
  } catch (const std::exception& e) {
    lv2_log_error(&log_, "%s\n", e.what());
  }
  return made;
}

void amp::activate() {
  gain_.reset(), level_.reset();
  if (now_->network) now_->network = now_->network->fresh();
}

bool amp::schedule(const LV2_Atom& message) {
  return worker_.schedule_work(worker_.handle, lv2_atom_total_size(&message), &message) == LV2_WORKER_SUCCESS;
}

void amp::work(const void* message) {
  handover_.free_retired();
  const auto& atom = *static_cast<const LV2_Atom*>(message);
  if (atom.type != uris_.path) return;
  const auto* const text = static_cast<const char*>(LV2_ATOM_BODY_CONST(&atom));
  const std::lock_guard lock(mutex_);
  path_ = std::string(text, strnlen(text, atom.size));
  handover_.give(load(path_));
}

bool amp::wants_reply(const LV2_Atom& message) {
  if (message.type != uris_.object) return false;
  const auto& object = reinterpret_cast<const LV2_Atom_Object&>(message);
  const LV2_Atom *property = nullptr, *value = nullptr;
  lv2_atom_object_get(&object, uris_.property, &property, uris_.value, &value, 0);
  const bool of_file = property != nullptr && property->type == uris_.urid &&
                       reinterpret_cast<const LV2_Atom_URID*>(property)->body == uris_.file;
  if (object.body.otype == uris_.get) return of_file || property == nullptr;
  const bool sets =
      object.body.otype == uris_.set && of_file && value != nullptr && value->type == uris_.path;
  return sets && !schedule(*value);
}

void amp::tell_file() {
  constexpr std::size_t around = 128; // bytes beside the path
  const std::string& path = now_->path;
  if (forge_.offset + path.size() + around > forge_.size) return;
  LV2_Atom_Forge_Frame frame;
  lv2_atom_forge_frame_time(&forge_, 0);
  lv2_atom_forge_object(&forge_, &frame, 0, uris_.set);
  lv2_atom_forge_key(&forge_, uris_.property);
  lv2_atom_forge_urid(&forge_, uris_.file);
  lv2_atom_forge_key(&forge_, uris_.value);
  lv2_atom_forge_path(&forge_, path.data(), static_cast<std::uint32_t>(path.size()));
  lv2_atom_forge_pop(&forge_, &frame);
}

void amp::run(std::uint32_t samples) {
  if (handover_.take(now_)) {
    schedule(free_retired);
    tells_ = true;
  }
  const auto* const messages = static_cast<const LV2_Atom_Sequence*>(ports_[control]);
  LV2_ATOM_SEQUENCE_FOREACH(messages, message) {
    if (wants_reply(message->body)) tells_ = true;
  }
  auto* const replies = static_cast<LV2_Atom_Sequence*>(ports_[notify]);
  LV2_Atom_Forge_Frame frame;
  lv2_atom_forge_set_buffer(&forge_, reinterpret_cast<std::uint8_t*>(replies), replies->atom.size);
  lv2_atom_forge_sequence_head(&forge_, &frame, 0);
  if (std::exchange(tells_, false)) tell_file();
  lv2_atom_forge_pop(&forge_, &frame);

  const std::span out(static_cast<float*>(ports_[sound_out]), samples);
  gain_.apply(static_cast<const float*>(ports_[sound_in]), out,
              *static_cast<const float*>(ports_[input_gain]));
  // A network would not forget what is no number.
  std::ranges::replace_if(
      out, [](float x) { return !std::isfinite(x); }, 0.0f);
  if (now_->network) now_->network->play(out);
  level_.apply(out.data(), out, *static_cast<const float*>(ports_[output_level]));
}

LV2_State_Status amp::save(LV2_State_Store_Function store, LV2_State_Handle handle,
                           const LV2_Feature* const* features) const {
  const std::lock_guard lock(mutex_);
  if (path_.empty()) return LV2_STATE_SUCCESS;
  const std::string stored = path_map(features).stored(path_);
  return store(handle, uris_.file, stored.c_str(), stored.size() + 1, uris_.path,
               LV2_STATE_IS_POD | LV2_STATE_IS_PORTABLE);
}

LV2_State_Status amp::restore(LV2_State_Retrieve_Function retrieve, LV2_State_Handle handle,
                              const LV2_Feature* const* features) {
  std::size_t size = 0;
  std::uint32_t type = 0, flags = 0;
  const void* const found = retrieve(handle, uris_.file, &size, &type, &flags);
  if (found != nullptr && type != uris_.path) return LV2_STATE_ERR_BAD_TYPE;
  const auto* const text = static_cast<const char*>(found);
  const std::lock_guard lock(mutex_);
  path_ = found ? path_map(features).opened(std::string(text, strnlen(text, size))) : "";
  handover_.give(nullptr);
  now_ = load(path_); // a host does not run() meanwhile
  tells_ = true;
  return LV2_STATE_SUCCESS;
}

} // namespace amp_plugin
