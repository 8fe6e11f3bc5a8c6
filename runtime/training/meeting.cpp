#include <fovea/runtime/training/meeting.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

namespace fovea::core::detail {

namespace {

constexpr std::size_t width = 2 + meeting::count; // of what a rank tells

const char* name_of(float what) {
  switch (static_cast<occasion>(static_cast<int>(what))) {
    case occasion::train:
      return "train";
    case occasion::step:
      return "fit.step";
    case occasion::save:
      return "fit.save";
    default:
      return "fit.resume";
  }
}

/// The first rank that refuses, or -1. Throws where ranks are here for different things.
int refusing(const std::vector<float>& all) {
  int first = -1;
  for (std::size_t at = all.size(); at > 0;)
    if (at -= width; all[at + 1] != 0) first = static_cast<int>(at / width);
  for (std::size_t at = width; at < all.size() && first < 0; at += width)
    if (all[at] != all[0])
      throw error("train: rank " + std::to_string(at / width) + " is at " + name_of(all[at]) +
                  ", and rank 0 at " + name_of(all[0]) + "; expected the same calls on every rank");
  return first;
}

} // namespace

std::vector<float> meeting::exchange(occasion what, bool refuses, const numbers& told) const {
  std::vector<float> all(width * static_cast<std::size_t>(size()));
  float* own = all.data() + width * static_cast<std::size_t>(rank());
  own[0] = static_cast<float>(what), own[1] = refuses ? 1 : 0;
  std::ranges::copy(told, own + 2);
  group_.sum(all); // to which the others add zeros
  return all;
}

std::string meeting::problem_of(int refusing, const std::string& own) const {
  std::string text = own;
  std::uint64_t length = text.size();
  group_.broadcast(std::as_writable_bytes(std::span(&length, 1)), refusing);
  text.resize(static_cast<std::size_t>(length));
  group_.broadcast(std::as_writable_bytes(std::span(text)), refusing);
  return text;
}

std::vector<float> meeting::meet(occasion what, const numbers& told) const {
  if (is_alone()) return {told.begin(), told.end()};
  std::vector<float> all;
  int first = -1;
  try {
    all = exchange(what, false, told);
    first = refusing(all);
  } catch (const error& problem) { // as on all ranks, or this one's connection is gone
    throw refusal(problem.what());
  }
  if (first >= 0) throw refusal("rank " + std::to_string(first) + ": " + problem_of(first, ""));
  std::vector<float> numbers_of_all;
  for (std::size_t at = 0; at < all.size(); at += width)
    numbers_of_all.insert(numbers_of_all.end(), all.data() + at + 2, all.data() + at + width);
  return numbers_of_all;
}

void meeting::tell(occasion what, const std::string& problem) const noexcept {
  try {
    problem_of(refusing(exchange(what, true, {})), problem);
  } catch (const std::exception&) {
    // Nobody hears it any more; the caller goes on with the problem itself.
  }
}

std::vector<std::uint64_t> meeting::meet(occasion what, std::uint64_t told) const {
  constexpr unsigned bits = 16; // which a float holds
  numbers pieces;
  for (unsigned i = 0; i < count; ++i) pieces[i] = static_cast<float>(told >> (bits * i) & 0xFFFF);
  const std::vector<float> all = meet(what, pieces);
  std::vector<std::uint64_t> of_ranks(all.size() / count);
  for (std::size_t at = 0; at < all.size(); ++at)
    of_ranks[at / count] |= static_cast<std::uint64_t>(all[at]) << (bits * (at % count));
  return of_ranks;
}

double meeting::total(occasion what, double told) const {
  double sum = 0;
  for (const std::uint64_t one : meet(what, std::bit_cast<std::uint64_t>(told)))
    sum += std::bit_cast<double>(one);
  return sum;
}

void meeting::expect_same(occasion what, std::uint64_t digest, std::string_view found,
                          std::string_view expected) const {
  if (is_alone()) return;
  const std::vector<std::uint64_t> all = meet(what, digest);
  for (std::size_t r = 1; r < all.size(); ++r)
    if (all[r] != all[0])
      throw refusal("train: rank " + std::to_string(r) + " " + std::string(found) +
                    " than rank 0; expected " + std::string(expected));
}

} // namespace fovea::core::detail
