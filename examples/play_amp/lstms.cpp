#include "networks.hpp"
#include "player.hpp"

namespace play_amp_program {

template std::unique_ptr<amp_network> compiled<lstm_24>(const nam_file& file);
template std::unique_ptr<amp_network> compiled<lstm_2x8>(const nam_file& file);
template std::unique_ptr<amp_network> compiled<lstm_16>(const nam_file& file);
template std::unique_ptr<amp_network> compiled<lstm_12>(const nam_file& file);
template std::unique_ptr<amp_network> compiled<lstm_3>(const nam_file& file);

} // namespace play_amp_program
