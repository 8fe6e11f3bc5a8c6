#include "sameness.hpp"

#include "group.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/mapped_file.hpp>
#include <fovea/runtime/training/digest.hpp>

namespace training {
namespace {

std::uint64_t digest_of(const std::filesystem::path& file) {
  fovea::core::detail::digest all;
  all.add(fovea::core::mapped_file(file).bytes());
  return all.value();
}

} // namespace

void expect_same(const std::string& program, const std::vector<std::filesystem::path>& files,
                 const fovea::rank_group& group) {
  if (group.size() == 1) return;
  const auto expect = [&](const std::filesystem::path& file, const std::string& other,
                          const std::string& expected) {
    const auto all = told_by_each(digest_of(file), group);
    for (std::size_t r = 1; r < all.size(); ++r)
      if (all[r] != all[0])
        throw fovea::error("rank " + std::to_string(r) + " has " + other + " than rank 0; expected " +
                           expected);
  };
  expect("/proc/self/exe", "another build of " + program, "one program on all ranks");
  for (const auto& file : files) expect(file, "other data in " + file.string(), "the same on all ranks");
}

} // namespace training
