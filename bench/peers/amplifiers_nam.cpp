// The blocks of bench/amplifiers.cpp in NeuralAmpModelerCore, without its faster tanh, as a peer of bench/run.py. From its
// folder, with Eigen:
//
//     g++ -std=c++20 -Ofast -march=native -D NAM_ENABLE_A2_FAST -I . -I Dependencies/nlohmann -I /usr/include/eigen3
//       NAM/*.cpp NAM/wavenet/*.cpp bench/peers/amplifiers_nam.cpp -o amplifiers_nam
//
// -D NAM_USE_INLINE_GEMM has its products of small sizes: the better of both counts.

#include "peer_rows.hpp"

#include <NAM/activations.h>
#include <NAM/get_dsp.h>
#include <NAM/slimmable.h>

#include <cmath>
#include <string>
#include <vector>

int main(int count, char** words) {
  peer_rows rows("nam_core", "daae2d0", count, words);
  nam::activations::Activation::disable_fast_tanh();
  for (const std::string& argument : rows.words) {
    const std::size_t at = argument.rfind('@');
    const auto model = nam::get_dsp(std::filesystem::path(argument.substr(0, at)));
    if (at != std::string::npos)
      dynamic_cast<nam::SlimmableModel&>(*model).SetSlimmableSize(std::stod(argument.substr(at + 1)));
    constexpr int block = 64, blocks = 750;
    model->Reset(48000, block);
    std::vector<double> in(block * blocks), out(block);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 0.2 * std::sin(0.03 * static_cast<double>(i));
    int i = 0;
    rows.time("amplifiers/" + std::filesystem::path(argument).filename().string(), 20 * blocks, 1, [&] {
      double *from = in.data() + i++ % blocks * block, *to = out.data();
      model->process(&from, &to, block);
    });
  }
  return rows.write();
}
