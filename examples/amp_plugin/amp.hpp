#pragma once

#include "handover.hpp"
#include "smooth_gain.hpp"
#include "uris.hpp"

#include <play_amp/amp_network.hpp>

#include <lv2/atom/atom.h>
#include <lv2/atom/forge.h>
#include <lv2/core/lv2.h>
#include <lv2/log/logger.h>
#include <lv2/state/state.h>
#include <lv2/worker/worker.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace amp_plugin {

/// What a host offers.
struct host {
  LV2_URID_Map* map;
  LV2_Worker_Schedule* worker;
  LV2_Log_Log* log; // may be null
};

/// One amplifier in a host. A .nam file plays; without one, or where it is refused, the sound passes as it is.
class amp {
public:
  amp(const host& of, double rate);

  void connect(std::uint32_t port, void* data) { ports_[port] = data; }
  /// Begins as one that has long heard silence.
  void activate();
  /// The next samples. Allocates nothing, and takes no lock.
  void run(std::uint32_t samples);
  /// What run() has asked for, in another thread.
  void work(const void* message);

  // Of a session.

  LV2_State_Status save(LV2_State_Store_Function store, LV2_State_Handle handle,
                        const LV2_Feature* const* features) const;
  LV2_State_Status restore(LV2_State_Retrieve_Function retrieve, LV2_State_Handle handle,
                           const LV2_Feature* const* features);

private:
  /// A file that was asked for, and its network, unless it was refused.
  struct loaded {
    std::string path;
    std::unique_ptr<play_amp_program::amp_network> network;
  };

  std::unique_ptr<loaded> load(std::string path);
  bool schedule(const LV2_Atom& message);
  bool wants_reply(const LV2_Atom& message);
  void tell_file();

  uris uris_;
  LV2_Worker_Schedule worker_;
  LV2_Log_Logger log_;
  double rate_; // Hz
  std::array<void*, 6> ports_{};

  // Of the thread of sound.
  LV2_Atom_Forge forge_;
  std::unique_ptr<loaded> now_ = std::make_unique<loaded>();
  smooth_gain gain_, level_;
  bool tells_ = false; // which file plays, next time

  handover<loaded> handover_;

  // Of the others.
  mutable std::mutex mutex_;
  std::string path_; // the last that was asked for
};

} // namespace amp_plugin
