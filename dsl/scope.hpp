#pragma once

#include <fovea/dsl/graph.hpp>

namespace fovea::core {

/// While it lives, the words called on x's graph report errors at the user's call, and so does what they
/// make: for a function built of words, which takes `source_place at` as its own last parameter. Given
/// at.as("word"), what is said later of the nodes names the word.
class [[nodiscard]] reported_at {
public:
  constexpr reported_at(expr x, source_place at) : owner_(x.owner) {
    if (owner_ == nullptr) return;
    before_ = owner_->call_site;
    owner_->call_site = before_.line == 0 ? at : before_.as(at.word);
  }
  constexpr reported_at(const reported_at&) = delete;
  constexpr reported_at& operator=(const reported_at&) = delete;
  constexpr ~reported_at() {
    if (owner_ != nullptr) owner_->call_site = before_;
  }

private:
  graph* owner_;
  source_place before_;
};

/// scope(x, "encoder") prefixes the names made on x's graph while it lives with "encoder."; scope(x, "layer",
/// 3) with "layer.3.".
class [[nodiscard]] scope {
public:
  [[nodiscard]] constexpr scope(expr x, const name_text& name, int index = scope_name::no_index,
                                source_place at = {__builtin_FILE(), __builtin_LINE()})
      : scope(of(x, name, index, at), name, index, at) {}
  constexpr scope(graph* owner, const name_text& name, int index, source_place at,
                  detail::layer_numbers layers = {})
      : owner_(owner) {
    if (owner_ == nullptr) return;
    before_ = owner_->current_scope;
    owner_->current_scope = owner_->open_scope(name, index, at, layers);
  }
  constexpr scope(const scope&) = delete;
  constexpr scope& operator=(const scope&) = delete;
  constexpr ~scope() {
    if (owner_ != nullptr) owner_->current_scope = before_;
  }

private:
  static constexpr graph* of(expr x, const name_text& name, int index, source_place at) {
    if (x.owner != nullptr && index < scope_name::no_index)
      x.owner->fail(32, at, graph::named{"scope", name}, ": expected a number of at least 0, found ", index);
    return x.owner;
  }

  graph* owner_;
  int before_ = 0;
};

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::reported_at, core::scope;
} // namespace fovea
