#pragma once

#include <fovea/base/lent_memory.hpp>
#include <fovea/library/library.hpp>

#include <memory>
#include <optional>
#include <span>
#include <type_traits>

namespace fovea::library {

/// What the exception in flight means to a caller in C; keeps its sentence for this thread.
int refused() noexcept;
/// The sentence of this thread's last failure.
const char* last_error() noexcept;

/// f, as a function in C answers: FOVEA_OK, or what went wrong.
template <class F>
int answer(F f) noexcept {
  try {
    f();
    return FOVEA_OK;
  } catch (...) {
    return refused();
  }
}

/// What a pointer in C stands for: a net or a stream, and whose memory it has. The C type derives from it.
template <class kind>
struct handle {
  core::memory_source memory = {};
  std::unique_ptr<kind> of = {};
};

core::memory_source memory_of(const fovea_options* asked);

/// A handle of what `make()` makes with memory from the source. Throws what that throws.
template <class H, class F>
H* opened(const core::memory_source& memory, F make) {
  std::optional<core::lent_memory> scope;
  if (memory.allocate != nullptr) scope.emplace(memory);
  auto made = std::make_unique<H>();
  made->memory = memory;
  made->of = make();
  return made.release();
}

/// A handle of a `made` with weights as weights_of takes them; or null, and why.
template <class H, class made, class source>
H* open(const program_parts& (*parts)(), source weights, const fovea_options* options) noexcept {
  H* opened_one = nullptr;
  answer([&] {
    opened_one = opened<H>(memory_of(options), [&] {
      return std::make_unique<made>(parts(), weights_of(parts(), weights), options_of(parts(), options));
    });
  });
  return opened_one;
}

void expect_open(const void* handle);

/// What a handle is of. Throws fovea::error where it is null.
template <class H>
auto& of(H* from) {
  expect_open(from);
  return *from->of;
}

template <class H>
H* copied(const H* from) noexcept {
  H* copy = nullptr;
  answer([&] {
    expect_open(from);
    copy = opened<H>(from->memory, [&] { return from->of->copy(); });
  });
  return copy;
}

/// The output of a name. Throws fovea::error where there is none, or nothing has run yet.
const fovea_tensor& output_named(std::span<const fovea_tensor> outputs, const char* name);

/// The same of a handle; null where that fails.
template <class H>
const fovea_tensor* output_of(const H* from, const char* name) noexcept {
  const fovea_tensor* found = nullptr;
  answer([&] { found = &output_named(of(from).outputs(), name); });
  return found;
}

} // namespace fovea::library
