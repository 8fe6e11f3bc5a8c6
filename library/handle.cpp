#include <fovea/library/handle.hpp>

#include <fovea/base/error.hpp>

#include <cstring>
#include <exception>
#include <new>
#include <string>

namespace fovea::library {
namespace {

thread_local std::string sentence;
thread_local const char* last = "";

/// The sentence stays where it is when there is no memory for it.
void keep(const char* why) noexcept {
  try {
    sentence = why;
    last = sentence.c_str();
  } catch (const std::bad_alloc&) {
    last = "out of memory";
  }
}

} // namespace

int refused() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    last = "out of memory";
    return FOVEA_NO_MEMORY;
  } catch (const std::exception& why) {
    keep(why.what());
  } catch (...) {
    keep("an exception of an unknown type");
  }
  return FOVEA_REFUSED;
}

const char* last_error() noexcept { return last; }

core::memory_source memory_of(const fovea_options* asked) {
  if (asked == nullptr) return {};
  if ((asked->allocate == nullptr) != (asked->release == nullptr))
    throw error("allocate and release: expected both or neither, found one of them");
  return {asked->allocate, asked->release, asked->memory};
}

void expect_open(const void* handle) {
  if (handle == nullptr) throw error("model or stream: expected what an open or copy has given, found NULL");
}

const fovea_tensor& output_named(std::span<const fovea_tensor> outputs, const char* name) {
  if (outputs.empty()) throw error("outputs: expected a run or step before they are asked for, found none");
  std::string names;
  for (const fovea_tensor& output : outputs) {
    if (name != nullptr && std::strcmp(output.name, name) == 0) return output;
    names += (names.empty() ? "\"" : ", \"") + std::string(output.name) + "\"";
  }
  throw error("there is no output " + (name == nullptr ? "NULL" : "\"" + std::string(name) + "\"") +
              "; the outputs are " + names);
}

} // namespace fovea::library
