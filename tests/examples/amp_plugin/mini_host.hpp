#pragma once

#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/atom/util.h>
#include <lv2/core/lv2.h>
#include <lv2/log/log.h>
#include <lv2/patch/patch.h>
#include <lv2/state/state.h>
#include <lv2/urid/urid.h>
#include <lv2/worker/worker.h>

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// A host of one plug-in, which works when it is told to.
class mini_host {
public:
  mini_host(const LV2_Descriptor& plugin, double rate) : plugin_(plugin) {
    lv2_atom_forge_init(&forge_, &map_);
    const LV2_Feature map{LV2_URID__map, &map_}, worker{LV2_WORKER__schedule, &worker_},
        log{LV2_LOG__log, &log_};
    const LV2_Feature* const features[] = {&map, &worker, &log, nullptr};
    handle_ = plugin.instantiate(&plugin, rate, "", features);
    REQUIRE(handle_ != nullptr);
    work_ = static_cast<const LV2_Worker_Interface*>(plugin.extension_data(LV2_WORKER__interface));
    state_ = static_cast<const LV2_State_Interface*>(plugin.extension_data(LV2_STATE__interface));
    REQUIRE(work_ != nullptr);
    REQUIRE(state_ != nullptr);
    clear_messages();
    plugin.activate(handle_);
  }
  mini_host(const mini_host&) = delete;
  mini_host& operator=(const mini_host&) = delete;
  ~mini_host() {
    plugin_.deactivate ? plugin_.deactivate(handle_) : void();
    plugin_.cleanup(handle_);
  }

  // Messages to the next run().

  void set_file(const std::string& path) {
    LV2_Atom_Forge_Frame frame;
    begin_message(frame, LV2_PATCH__Set);
    lv2_atom_forge_key(&forge_, number(LV2_PATCH__value));
    lv2_atom_forge_path(&forge_, path.c_str(), static_cast<std::uint32_t>(path.size()));
    end_message(frame);
  }
  void ask_file() {
    LV2_Atom_Forge_Frame frame;
    begin_message(frame, LV2_PATCH__Get);
    end_message(frame);
  }

  /// The plug-in's part of a block.
  void run(std::span<const float> in, std::span<float> out) {
    replies_.as<LV2_Atom_Sequence>()->atom = {replies_.capacity, number(LV2_ATOM__Chunk)};
    const auto port = [&](std::uint32_t which, const void* data) {
      plugin_.connect_port(handle_, which, const_cast<void*>(data));
    };
    port(0, messages_.bytes.data()), port(1, replies_.bytes.data());
    port(2, in.data()), port(3, out.data());
    port(4, &gain), port(5, &level);
    plugin_.run(handle_, static_cast<std::uint32_t>(out.size()));
    clear_messages();
  }
  /// The file that the last run() told of.
  std::optional<std::string> told() {
    std::optional<std::string> made;
    LV2_ATOM_SEQUENCE_FOREACH(replies_.as<LV2_Atom_Sequence>(), event) {
      const auto& object = reinterpret_cast<const LV2_Atom_Object&>(event->body);
      const LV2_Atom* value = nullptr;
      lv2_atom_object_get(&object, number(LV2_PATCH__value), &value, 0);
      REQUIRE(object.body.otype == number(LV2_PATCH__Set));
      REQUIRE(value != nullptr);
      CHECK(value->type == number(LV2_ATOM__Path));
      made = static_cast<const char*>(LV2_ATOM_BODY_CONST(value));
    }
    return made;
  }

  /// What runs have scheduled so far.
  void work() {
    while (worked_ != scheduled_.load()) {
      const message& next = queue_[worked_++ % queue_.size()];
      CHECK(work_->work(handle_, nullptr, nullptr, next.size, next.bytes.data()) == LV2_WORKER_SUCCESS);
    }
  }
  bool is_full = false; // then nothing is scheduled

  std::string logged;
  float gain = 0, level = 0; // dB

  // A session, whose files lie below "/session".

  struct property {
    std::string value;
    LV2_URID type;
    std::uint32_t flags;
  };
  using session = std::map<LV2_URID, property>;
  session save() {
    session made;
    REQUIRE(state_->save(handle_, store, &made, 0, state_features_.data()) == LV2_STATE_SUCCESS);
    return made;
  }
  void restore(const session& from) {
    auto* const data = const_cast<session*>(&from);
    REQUIRE(state_->restore(handle_, retrieve, data, 0, state_features_.data()) == LV2_STATE_SUCCESS);
  }
  LV2_URID number(const char* uri) { return map_.map(map_.handle, uri); }

private:
  struct buffer {
    static constexpr std::uint32_t capacity = 8192;
    alignas(8) std::array<std::uint8_t, capacity + sizeof(LV2_Atom)> bytes{};
    template <class T>
    T* as() {
      return reinterpret_cast<T*>(bytes.data());
    }
  };
  struct message {
    alignas(8) std::array<std::uint8_t, 4096> bytes;
    std::uint32_t size;
  };

  void clear_messages() {
    messages_.as<LV2_Atom_Sequence>()->atom = {sizeof(LV2_Atom_Sequence_Body), number(LV2_ATOM__Sequence)};
    messages_.as<LV2_Atom_Sequence>()->body = {};
  }
  void begin_message(LV2_Atom_Forge_Frame& frame, const char* kind) {
    lv2_atom_forge_set_buffer(&forge_, event_.bytes.data(), buffer::capacity);
    lv2_atom_forge_frame_time(&forge_, 0);
    lv2_atom_forge_object(&forge_, &frame, 0, number(kind));
    lv2_atom_forge_key(&forge_, number(LV2_PATCH__property));
    lv2_atom_forge_urid(&forge_, number("urn:fovea:amp#file"));
  }
  void end_message(LV2_Atom_Forge_Frame& frame) {
    lv2_atom_forge_pop(&forge_, &frame);
    lv2_atom_sequence_append_event(messages_.as<LV2_Atom_Sequence>(), buffer::capacity,
                                   event_.as<LV2_Atom_Event>());
  }

  static LV2_URID mapped(LV2_URID_Map_Handle handle, const char* uri) {
    auto& all = static_cast<mini_host*>(handle)->uris_;
    const auto found = std::ranges::find(all, uri);
    if (found == all.end()) return all.emplace_back(uri), static_cast<LV2_URID>(all.size());
    return static_cast<LV2_URID>(found - all.begin() + 1);
  }
  static LV2_Worker_Status scheduled(LV2_Worker_Schedule_Handle handle, std::uint32_t size,
                                     const void* data) {
    auto& host = *static_cast<mini_host*>(handle);
    message& next = host.queue_[host.scheduled_.load() % host.queue_.size()];
    if (host.is_full || size > next.bytes.size()) return LV2_WORKER_ERR_NO_SPACE;
    std::memcpy(next.bytes.data(), data, size);
    next.size = size;
    ++host.scheduled_;
    return LV2_WORKER_SUCCESS;
  }
  static int print(LV2_Log_Handle handle, LV2_URID type, const char* format, ...) {
    va_list words;
    va_start(words, format);
    const int count = print_all(handle, type, format, words);
    va_end(words);
    return count;
  }
  static int print_all(LV2_Log_Handle handle, LV2_URID, const char* format, va_list words) {
    std::array<char, 1000> text;
    const int count = std::vsnprintf(text.data(), text.size(), format, words);
    static_cast<mini_host*>(handle)->logged += text.data();
    return count;
  }
  static LV2_State_Status store(LV2_State_Handle handle, std::uint32_t key, const void* value,
                                std::size_t size, std::uint32_t type, std::uint32_t flags) {
    (*static_cast<session*>(handle))[key] = {std::string(static_cast<const char*>(value), size), type, flags};
    return LV2_STATE_SUCCESS;
  }
  static const void* retrieve(LV2_State_Handle handle, std::uint32_t key, std::size_t* size,
                              std::uint32_t* type, std::uint32_t* flags) {
    const auto& all = *static_cast<session*>(handle);
    const auto found = all.find(key);
    if (found == all.end()) return nullptr;
    *size = found->second.value.size(), *type = found->second.type, *flags = found->second.flags;
    return found->second.value.data();
  }
  static char* abstract_path(LV2_State_Map_Path_Handle, const char* path) {
    return strdup(("/session" + std::string(path)).c_str());
  }
  static char* absolute_path(LV2_State_Map_Path_Handle, const char* path) {
    return strdup(path + std::strlen("/session"));
  }

  const LV2_Descriptor& plugin_;
  LV2_Handle handle_ = nullptr;
  const LV2_Worker_Interface* work_ = nullptr;
  const LV2_State_Interface* state_ = nullptr;

  std::vector<std::string> uris_;
  LV2_URID_Map map_{this, mapped};
  LV2_Worker_Schedule worker_{this, scheduled};
  LV2_Log_Log log_{this, print, print_all};
  LV2_State_Map_Path paths_{nullptr, abstract_path, absolute_path};
  LV2_State_Free_Path free_{nullptr, [](LV2_State_Free_Path_Handle, char* path) { std::free(path); }};
  LV2_Feature map_path_{LV2_STATE__mapPath, &paths_}, free_path_{LV2_STATE__freePath, &free_};
  std::array<const LV2_Feature*, 3> state_features_{&map_path_, &free_path_, nullptr};

  LV2_Atom_Forge forge_{};
  buffer messages_, event_, replies_;

  std::array<message, 16> queue_;
  std::atomic<std::size_t> scheduled_{0};
  std::size_t worked_ = 0;
};
