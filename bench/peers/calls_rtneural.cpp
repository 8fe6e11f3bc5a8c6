// The cells of bench/calls.cpp in RTNeural, by its models of fixed sizes:
//
//     aarch64-linux-gnu-g++ -std=c++20 -O3 -I RTNEURAL -I XSIMD/include -D RTNEURAL_USE_XSIMD=1
//       -D RTNEURAL_DEFAULT_ALIGNMENT=16 bench/peers/calls_rtneural.cpp
//
// or with -I RTNEURAL/modules/Eigen -D RTNEURAL_USE_EIGEN=1.

#include <RTNeural/RTNeural.h>
#include <cstdlib>
#include <map>
#include <random>
#include <string_view>
#include <vector>

namespace {

std::vector<std::vector<float>> random_rows(int rows, int columns) {
  static std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-0.3f, 0.3f);
  std::vector made(static_cast<std::size_t>(rows), std::vector<float>(static_cast<std::size_t>(columns)));
  for (auto& row : made)
    for (float& value : row) value = values(random);
  return made;
}

template <class cell, int gates, int hidden>
void sample(int count) {
  RTNeural::ModelT<float, 1, 1, cell, RTNeural::DenseT<float, hidden, 1>> model;
  auto& recurrent = model.template get<0>();
  recurrent.setWVals(random_rows(1, gates * hidden));
  recurrent.setUVals(random_rows(hidden, gates * hidden));
  if constexpr (gates == 3)
    recurrent.setBVals(random_rows(2, gates * hidden));
  else
    recurrent.setBVals(random_rows(1, gates * hidden)[0]);
  model.template get<1>().setWeights(random_rows(1, hidden));
  const float bias = 0.1f, one = 0.1f;
  model.template get<1>().setBias(&bias);
  model.reset();
  [[maybe_unused]] volatile float heard = 0;
  for (int i = 0; i < count; ++i) heard = model.forward(&one);
}

template <int hidden>
constexpr auto gru = sample<RTNeural::GRULayerT<float, 1, hidden>, 3, hidden>;
template <int hidden>
constexpr auto lstm = sample<RTNeural::LSTMLayerT<float, 1, hidden>, 4, hidden>;

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
