#include "networks.hpp"
#include "player.hpp"

namespace play_amp_program {

template std::unique_ptr<amp_network> compiled<a2_max>(const nam_file& file);

} // namespace play_amp_program
