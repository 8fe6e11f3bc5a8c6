#pragma once

// Small models of RTNeural, of fixed sizes: one number in, one number out, random weights.

#include <RTNeural/RTNeural.h>
#include <random>
#include <vector>

inline std::vector<std::vector<float>> random_rows(int rows, int columns) {
  static std::mt19937 random(1);
  std::uniform_real_distribution<float> values(-0.3f, 0.3f);
  std::vector made(static_cast<std::size_t>(rows), std::vector<float>(static_cast<std::size_t>(columns)));
  for (auto& row : made)
    for (float& value : row) value = values(random);
  return made;
}

template <class Dense>
void fill_dense(Dense& layer, int in, int out) {
  layer.setWeights(random_rows(out, in));
  const auto bias = random_rows(1, out);
  layer.setBias(bias[0].data());
}

/// A recurrent layer of `gates` gates, and a dense one of one output.
template <class cell, int gates, int hidden>
auto recurrent_model() {
  RTNeural::ModelT<float, 1, 1, cell, RTNeural::DenseT<float, hidden, 1>> model;
  auto& recurrent = model.template get<0>();
  recurrent.setWVals(random_rows(1, gates * hidden));
  recurrent.setUVals(random_rows(hidden, gates * hidden));
  if constexpr (gates == 3)
    recurrent.setBVals(random_rows(2, gates * hidden));
  else
    recurrent.setBVals(random_rows(1, gates * hidden)[0]);
  fill_dense(model.template get<1>(), hidden, 1);
  model.reset();
  return model;
}

template <int hidden>
auto gru_model() {
  return recurrent_model<RTNeural::GRULayerT<float, 1, hidden>, 3, hidden>();
}
template <int hidden>
auto lstm_model() {
  return recurrent_model<RTNeural::LSTMLayerT<float, 1, hidden>, 4, hidden>();
}
