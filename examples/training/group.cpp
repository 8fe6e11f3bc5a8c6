#include "group.hpp"

#include <fovea/base/error.hpp>

#ifdef FOVEA_TRAINING_OVER_MPI
#include <fovea/mpi/mpi_group.hpp>
#endif

#include <cstdlib>
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

} // namespace training
