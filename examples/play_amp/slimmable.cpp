#include "networks.hpp"
#include "player.hpp"

namespace play_amp_program {

template std::unique_ptr<amp_network> compiled<relu_3>(const nam_file& file);
template std::unique_ptr<amp_network> compiled<relu_2>(const nam_file& file);
template std::unique_ptr<amp_network> compiled<relu_1>(const nam_file& file);

} // namespace play_amp_program
