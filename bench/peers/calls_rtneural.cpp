// The cells of bench/calls.cpp in RTNeural, by its models of fixed sizes:
//
//     aarch64-linux-gnu-g++ -std=c++20 -O3 -I RTNEURAL -I XSIMD/include -D RTNEURAL_USE_XSIMD=1
//       -D RTNEURAL_DEFAULT_ALIGNMENT=16 bench/peers/calls_rtneural.cpp
//
// or with -I RTNEURAL/modules/Eigen -D RTNEURAL_USE_EIGEN=1.

#include "rtneural_models.hpp"

#include <cstdlib>
#include <map>
#include <string_view>

namespace {

template <auto make>
void sample(int count) {
  auto model = make();
  const float one = 0.1f;
  [[maybe_unused]] volatile float heard = 0;
  for (int i = 0; i < count; ++i) heard = model.forward(&one);
}

template <int hidden>
constexpr auto gru = sample<gru_model<hidden>>;
template <int hidden>
constexpr auto lstm = sample<lstm_model<hidden>>;

const std::map<std::string_view, void (*)(int count)> cases{
    {"gru/8", gru<8>},   {"gru/16", gru<16>},   {"gru/64", gru<64>},
    {"lstm/8", lstm<8>}, {"lstm/16", lstm<16>}, {"lstm/64", lstm<64>},
};

} // namespace

int main(int count, char** words) {
  const auto found = cases.find(count == 3 ? words[1] : "");
  if (found == cases.end()) return 2;
  found->second(std::atoi(words[2]));
}
