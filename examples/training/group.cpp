#include "group.hpp"

#include <fovea/base/error.hpp>

#ifdef FOVEA_TRAINING_OVER_MPI
#include <fovea/mpi/mpi_group.hpp>
#endif

#include <bit>
#include <cstdlib>
#include <numeric>
#include <string>

namespace training {

fovea::rank_group group() {
#ifdef FOVEA_TRAINING_OVER_MPI
  // What starts the ranks tells each its number: mpirun of Open MPI and Slurm by PMIx, others by PMI.
  for (const char* name : {"PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return fovea::mpi_group();
#endif
  return {};
}

int share_of(int batch, const fovea::rank_group& group) {
  if (batch % group.size() != 0)
    throw fovea::error("--batch: expected a multiple of " + std::to_string(group.size()) +
                       ", for so many ranks learn together; found " + std::to_string(batch));
  return batch / group.size();
}

std::vector<std::size_t> filled(std::span<const std::size_t> batch, const fovea::rank_group& group) {
  std::vector<std::size_t> all(batch.begin(), batch.end());
  while (all.size() % static_cast<std::size_t>(group.size()) != 0)
    all.push_back(all[all.size() - batch.size()]);
  return all;
}

std::vector<std::uint64_t> told_by_each(std::uint64_t own, const fovea::rank_group& group) {
  constexpr std::size_t pieces = 4; // of 16 bits, which a float holds
  std::vector<float> told(pieces * static_cast<std::size_t>(group.size()));
  for (std::size_t i = 0; i < pieces; ++i)
    told[pieces * static_cast<std::size_t>(group.rank()) + i] = static_cast<float>(own >> (16 * i) & 0xFFFF);
  group.sum(told); // to which the others add zeros
  std::vector<std::uint64_t> all(static_cast<std::size_t>(group.size()));
  for (std::size_t i = 0; i < told.size(); ++i)
    all[i / pieces] |= static_cast<std::uint64_t>(told[i]) << (16 * (i % pieces));
  return all;
}

std::vector<double> told_by_each(double own, const fovea::rank_group& group) {
  std::vector<double> all;
  for (const std::uint64_t bits : told_by_each(std::bit_cast<std::uint64_t>(own), group))
    all.push_back(std::bit_cast<double>(bits));
  return all;
}

double mean_of(double sum, double weight, const fovea::rank_group& group) {
  const auto of_all = [&](double own) {
    const std::vector<double> each = told_by_each(own, group);
    return std::accumulate(each.begin(), each.end(), 0.0);
  };
  const double all = of_all(sum);
  return all / of_all(weight);
}

} // namespace training
