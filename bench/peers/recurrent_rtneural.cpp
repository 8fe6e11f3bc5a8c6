// The small models of bench/recurrent.cpp in RTNeural, by its models of fixed sizes, as a peer of bench/run.py:
//
//     g++ -std=c++20 -O3 -march=native -I RTNEURAL -I XSIMD/include -D RTNEURAL_USE_XSIMD=1
//       -D RTNEURAL_DEFAULT_ALIGNMENT=64 bench/peers/recurrent_rtneural.cpp -o rtneural_xsimd
//
// or with -I RTNEURAL/modules/Eigen -D RTNEURAL_USE_EIGEN=1; -march=haswell gives the set avx2, whose alignment is 32.

#include "peer_rows.hpp"
#include "rtneural_models.hpp"

#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace {

constexpr int steps = 512;

template <class Model>
void samples(peer_rows& rows, const std::string& name, Model model) {
  std::array<float, steps> in{};
  for (int i = 0; i < steps; ++i) in[static_cast<std::size_t>(i)] = std::sin(0.1f * static_cast<float>(i));
  [[maybe_unused]] volatile float heard = 0;
  for (const char* kind : {"/sample", "/sample of a block"})
    rows.time("recurrent/" + name + kind, 1000, steps, [&] {
      for (const float& x : in) heard = model.forward(&x);
    });
}

using namespace RTNeural;

auto dense_model() {
  ModelT<float, 1, 1, DenseT<float, 1, 8>, TanhActivationT<float, 8>, DenseT<float, 8, 8>,
         TanhActivationT<float, 8>, DenseT<float, 8, 1>>
      model;
  fill_dense(model.template get<0>(), 1, 8);
  fill_dense(model.template get<2>(), 8, 8);
  fill_dense(model.template get<4>(), 8, 1);
  model.reset();
  return model;
}

/// Convolutions of 16 channels and 3 taps, a hyperbolic tangent behind each: dilations 1, 2, 4, ... 128, and again
/// from 1.
template <int layers, int i, class... made>
struct dilated : dilated<layers, i + 1, made..., Conv1DT<float, i == 0 ? 1 : 16, 16, 3, 1 << i % 8>,
                         TanhActivationT<float, 16>> {};
template <int layers, class... made>
struct dilated<layers, layers, made...> {
  using model = ModelT<float, 1, 1, made..., DenseT<float, 16, 1>>;
};

template <int layers>
auto dilated_model() {
  auto model = std::make_unique<typename dilated<layers, 0>::model>(); // its states are large
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    const auto fill = [](auto& layer, int in) {
      std::vector<std::vector<std::vector<float>>> weights;
      for (int out = 0; out < 16; ++out) weights.push_back(random_rows(in, 3));
      layer.setWeights(weights);
      layer.setBias(random_rows(1, 16)[0]);
    };
    (fill(model->template get<2 * i>(), i == 0 ? 1 : 16), ...);
  }
  (std::make_index_sequence<layers>());
  fill_dense(model->template get<2 * layers>(), 16, 1);
  model->reset();
  return model;
}

/// A model that stands elsewhere.
template <class Model>
struct pointed {
  std::unique_ptr<Model> model;
  float forward(const float* x) { return model->forward(x); }
};
template <class Model>
pointed(std::unique_ptr<Model>) -> pointed<Model>;

} // namespace

int main(int count, char** words) {
  peer_rows rows("rtneural", "1fb1f07", count, words);
  if (rows.one_thread()) {
    samples(rows, "dense 1-8-8-1", dense_model());
    samples(rows, "gru/8", gru_model<8>());
    samples(rows, "gru/16", gru_model<16>());
    samples(rows, "gru/24", gru_model<24>());
    samples(rows, "gru/32", gru_model<32>());
    samples(rows, "gru/64", gru_model<64>());
    samples(rows, "lstm/8", lstm_model<8>());
    samples(rows, "lstm/16", lstm_model<16>());
    samples(rows, "lstm/24", lstm_model<24>());
    samples(rows, "lstm/32", lstm_model<32>());
    samples(rows, "lstm/64", lstm_model<64>());
    samples(rows, "8 convolutions of 16", pointed{dilated_model<8>()});
    samples(rows, "20 convolutions of 16", pointed{dilated_model<20>()});
  }
  return rows.write();
}
