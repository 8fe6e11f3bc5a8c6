#include <fovea/runtime/options.hpp>

#include <string>

#include <fovea/base/error.hpp>
#include <fovea/base/threads.hpp>

namespace fovea::core::detail {

thread_supply threads_of(const compile_options& options, bool is_small, const char* model_name) {
  if (options.threads < 0)
    throw error(std::string(model_name) + ": threads: expected at least 0, found " +
                std::to_string(options.threads));
  if (options.threads > 0) return {options.threads, options.lent};
  return {is_small ? 1 : 0, options.lent};
}

} // namespace fovea::core::detail
