// The blocks of bench/amplifiers.cpp in NeuralAmpModelerCore, without its faster tanh. From its folder, with Eigen:
//
//     g++ -std=c++20 -Ofast -march=native -D NAM_ENABLE_A2_FAST -I . -I Dependencies/nlohmann -I /usr/include/eigen3
//       NAM/*.cpp NAM/wavenet/*.cpp bench/peers/amplifiers_nam.cpp -o amplifiers_nam
//
// -D NAM_USE_INLINE_GEMM has its products of small sizes: the better of both counts.

#include <NAM/activations.h>
#include <NAM/get_dsp.h>
#include <NAM/slimmable.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

int main(int count, char** words) {
  nam::activations::Activation::disable_fast_tanh();
  for (int w = 1; w < count; ++w) {
    const std::string argument = words[w];
    const std::size_t at = argument.rfind('@');
    const auto model = nam::get_dsp(std::filesystem::path(argument.substr(0, at)));
    if (at != std::string::npos)
      dynamic_cast<nam::SlimmableModel&>(*model).SetSlimmableSize(std::stod(argument.substr(at + 1)));
    constexpr int block = 64, blocks = 750;
    model->Reset(48000, block);
    std::vector<double> in(block), out(block), us;
    for (int i = 0; i < 20 * blocks; ++i) {
      for (int k = 0; k < block; ++k)
        in[static_cast<std::size_t>(k)] = 0.2 * std::sin(0.03 * ((i % blocks) * block + k));
      double *from = in.data(), *to = out.data();
      const auto start = std::chrono::steady_clock::now();
      model->process(&from, &to, block);
      us.push_back(
          std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(us.begin(), us.end());
    std::printf("%-40s %12.3f us, median %12.3f\n", std::filesystem::path(argument).filename().c_str(),
                us.front(), us[us.size() / 2]);
  }
}
