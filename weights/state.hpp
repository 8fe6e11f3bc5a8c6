#pragma once

#include <fovea/weights/convert.hpp>
#include <fovea/weights/packed_weights.hpp>
#include <fovea/weights/weight_file.hpp>
#include <fovea/weights/weights.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fovea::core {

/// What all copies of one `weights` share.
struct model_weights::state {
  std::string source;
  std::vector<weight_file> files;             // keep the tensors' bytes
  std::map<std::string, weight_tensor> given; // or keep them in memory
  std::vector<std::shared_ptr<state>> parts;  // or they are those of others
  std::map<std::string, stored_tensor> tensors;
  std::map<std::string, std::string> shard_of; // the file of each tensor, when there are several
  std::map<std::string, std::string> metadata;
  std::optional<packed_layout> layout; // of packed weights

  struct packed_slot {
    std::mutex building;
    std::weak_ptr<const packed> copy;
  };
  /// A tensor's name and what was done to it.
  using content_key = std::pair<std::string, naming::transform>;
  /// Values that are known to be finite.
  struct known_values {
    std::span<const std::byte> bytes;
    bool owned = false;                      // by the holder; else they lie in a file or with the program
    std::shared_ptr<const void> holder = {}; // copies of it are with those who read them

    bool is_held() const { return holder.use_count() > 1; }
    std::span<const float> floats() const {
      return {reinterpret_cast<const float*>(bytes.data()), bytes.size() / sizeof(float)};
    }
  };
  using known_map = std::map<content_key, known_values>;
  std::mutex guard;                                 // of the caches
  known_map checked;                                // float32
  known_map stored;                                 // rows as they are stored, perhaps in another order
  std::vector<std::shared_ptr<const void>> lasting; // what stays
  std::map<std::string, std::shared_ptr<packed_slot>> packed_slots;

  /// Adds values to those that are known, unless they are there; without an owner they lie elsewhere.
  static const known_values& remember(known_map& all, content_key key, std::span<const std::byte> bytes,
                                      std::shared_ptr<const packed> owner);
  /// Takes what the only file holds.
  void take(weight_file only);
  /// Takes no memory for bytes of a mapped file until they are touched again.
  void let_go(std::span<const std::byte> bytes) const noexcept;
  const std::string& file_of(const std::string& tensor) const {
    const auto shard = shard_of.find(tensor);
    return shard == shard_of.end() ? source : shard->second;
  }
};

} // namespace fovea::core
