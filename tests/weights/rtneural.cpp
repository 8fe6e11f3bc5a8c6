#include <fovea/weights/weights.hpp>

#include "temporary_folder.hpp"

#include <fovea/base/error.hpp>

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::core;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;

namespace {

model_weights opened(const std::string& text) {
  const temporary_folder folder;
  return load_weights(folder.write("x.json", text));
}
std::string refusal(const std::string& text) {
  return message_of<error>([&] { opened(text); });
}

/// One layer of Keras.
std::string layer(const std::string& type, const std::string& weights, const std::string& more = "") {
  return R"({"in_shape": [null, null], "layers": [{"type": ")" + type + R"(", "activation": "tanh", )" +
         more + R"("weights": [)" + weights + "]}]}";
}

std::vector<float> values(const model_weights& from, const std::string& name,
                          std::vector<std::size_t> shape) {
  const auto& tensor = from.tensors().at(name);
  CHECK(tensor.shape == shape);
  const auto* data = reinterpret_cast<const float*>(tensor.bytes.data());
  return {data, data + tensor.bytes.size() / sizeof(float)};
}

using floats = std::vector<float>;

} // namespace

TEST_CASE("Keras' dense and convolution kernels are turned into PyTorch's layouts", "[rtneural]") {
  for (const char* type : {"dense", "time-distributed-dense"}) {
    const model_weights dense = opened(layer(type, "[[1, 2, 3], [4, 5, 6]], [7, 8, 9]"));
    CHECK(values(dense, "layers.0.weight", {3, 2}) == floats{1, 4, 2, 5, 3, 6});
    CHECK(values(dense, "layers.0.bias", {3}) == floats{7, 8, 9});
    CHECK(dense.metadata().at("layers.0.type") == type);
    CHECK(dense.metadata().at("layers.0.activation") == "tanh");
  }
  CHECK(opened(layer("dense", "[[1], [2]]")).tensors().size() == 1);

  // [tap][in][out] to [out][in][tap].
  const model_weights conv =
      opened(layer("conv1d", "[[[1, 2]], [[3, 4]], [[5, 6]]], [7, 8]", R"("dilation": [2], )"));
  CHECK(values(conv, "layers.0.weight", {2, 1, 3}) == floats{1, 3, 5, 2, 4, 6});
  CHECK(conv.metadata().at("layers.0.dilation") == "[2]");
  // [time][feature][in][out] to [out][in][time][feature].
  const model_weights planes = opened(layer("conv2d", "[[[[1, 2]], [[3, 4]]]], [5, 6]"));
  CHECK(values(planes, "layers.0.weight", {2, 1, 1, 2}) == floats{1, 3, 2, 4});
}

TEST_CASE("Keras' recurrent kernels get PyTorch's gate order and two biases", "[rtneural]") {
  // Hidden size 2; columns z, r, n.
  const model_weights gru =
      opened(layer("gru", "[[0, 1, 2, 3, 4, 5]], [[10, 11, 12, 13, 14, 15], [20, 21, 22, 23, 24, 25]], "
                          "[[30, 31, 32, 33, 34, 35], [40, 41, 42, 43, 44, 45]]"));
  CHECK(values(gru, "layers.0.weight_ih_l0", {6, 1}) == floats{2, 3, 0, 1, 4, 5});
  CHECK(values(gru, "layers.0.weight_hh_l0", {6, 2}) ==
        floats{12, 22, 13, 23, 10, 20, 11, 21, 14, 24, 15, 25});
  CHECK(values(gru, "layers.0.bias_ih_l0", {6}) == floats{32, 33, 30, 31, 34, 35});
  CHECK(values(gru, "layers.0.bias_hh_l0", {6}) == floats{42, 43, 40, 41, 44, 45});

  const model_weights lstm =
      opened(layer("lstm", "[[0, 1, 2, 3], [4, 5, 6, 7]], [[8, 9, 10, 11]], [12, 13, 14, 15]"));
  CHECK(values(lstm, "layers.0.weight_ih_l0", {4, 2}) == floats{0, 4, 1, 5, 2, 6, 3, 7});
  CHECK(values(lstm, "layers.0.weight_hh_l0", {4, 1}) == floats{8, 9, 10, 11});
  CHECK(values(lstm, "layers.0.bias_ih_l0", {4}) == floats{12, 13, 14, 15});
  CHECK(values(lstm, "layers.0.bias_hh_l0", {4}) == floats{0, 0, 0, 0});
}

TEST_CASE("Keras' norms, slopes and activations", "[rtneural]") {
  for (const char* type : {"batchnorm", "batchnorm2d"}) {
    const model_weights affine =
        opened(layer(type, "[1, 2], [3, 4], [5, 6], [7, 8]", R"("epsilon": 0.01, )"));
    CHECK(values(affine, "layers.0.weight", {2}) == floats{1, 2});
    CHECK(values(affine, "layers.0.bias", {2}) == floats{3, 4});
    CHECK(values(affine, "layers.0.running_mean", {2}) == floats{5, 6});
    CHECK(values(affine, "layers.0.running_var", {2}) == floats{7, 8});
    CHECK(affine.metadata().at("layers.0.epsilon") == "0.01");
    const model_weights bare = opened(layer(type, "[5, 6], [7, 8]"));
    CHECK(values(bare, "layers.0.weight", {2}) == floats{1, 1});
    CHECK(values(bare, "layers.0.bias", {2}) == floats{0, 0});
    CHECK(values(bare, "layers.0.running_var", {2}) == floats{7, 8});
  }
  CHECK(values(opened(layer("prelu", "[[1, 2, 3]]")), "layers.0.weight", {3}) == floats{1, 2, 3});
  CHECK(values(opened(layer("prelu", "[[[0.5]]]")), "layers.0.weight", {1}) == floats{0.5});
  CHECK(opened(layer("activation", "")).tensors().empty());
}

TEST_CASE("PyTorch's state dictionary keeps its names and layouts", "[rtneural]") {
  const model_weights found = opened(R"(  {"lstm.weight_ih_l0": [[1, 2], [3, 4]], "bias": [5], "scale": 6})");
  CHECK(values(found, "lstm.weight_ih_l0", {2, 2}) == floats{1, 2, 3, 4});
  CHECK(values(found, "bias", {1}) == floats{5});
  CHECK(values(found, "scale", {}) == floats{6});
}

TEST_CASE("what a layer states of its sizes is held against its weights", "[rtneural]") {
  const std::string lstm =
      "[[1, 2, 3, 4, 5, 6, 7, 8]], [[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 3, 4, 5, 6, 7, 8]], "
      "[1, 2, 3, 4, 5, 6, 7, 8]";
  CHECK(refusal(layer("lstm", lstm, R"("shape": [null, null, 2], )")).empty());
  CHECK_THAT(
      refusal(layer("lstm", lstm, R"("shape": [null, null, 1], )")),
      EndsWith("layer 0 (lstm): expected weights for a shape of 1, as the file states; found weights for 2"));
  const std::string gru = "[[1, 2, 3]], [[1, 2, 3]], [[1, 2, 3], [1, 2, 3]]";
  CHECK(refusal(layer("gru", gru, R"("shape": [null, null, 1], )")).empty());
  CHECK_THAT(
      refusal(layer("gru", gru, R"("shape": [null, null, 2], )")),
      EndsWith("layer 0 (gru): expected weights for a shape of 2, as the file states; found weights for 1"));
  for (const std::string type : {"dense", "time-distributed-dense"}) {
    CHECK(refusal(layer(type, "[[1, 2], [3, 4], [5, 6]], [1, 2]", R"("shape": [null, 2], )")).empty());
    CHECK_THAT(refusal(layer(type, "[[1, 2], [3, 4], [5, 6]], [1, 2]", R"("shape": [null, 3], )")),
               EndsWith("expected weights for a shape of 3, as the file states; found weights for 2"));
    CHECK_THAT(refusal(layer(type, "[[1, 2], [3, 4], [5, 6]], [1, 2, 3]")),
               EndsWith("(" + type + "): expected a bias of 2; found [3]"));
  }
  const auto conv1d = [&](const std::string& more) {
    return refusal(layer("conv1d", "[[[1, 2]], [[3, 4]], [[5, 6]]]", more));
  };
  CHECK(conv1d(R"("shape": [null, null, 2], "kernel_size": [3], "groups": 2, )").empty());
  CHECK_THAT(conv1d(R"("shape": [null, null, 3], )"),
             EndsWith("a shape of 3, as the file states; found weights for 2"));
  CHECK_THAT(conv1d(R"("kernel_size": [2], )"),
             EndsWith("a kernel_size of 2, as the file states; found weights for 3"));
  const auto conv2d = [&](const std::string& more) {
    return refusal(layer("conv2d", "[[[[1, 2]], [[3, 4]]]], [5, 6]", more));
  };
  CHECK(
      conv2d(
          R"("shape": [null, 9, 8, 2], "kernel_size_time": 1, "kernel_size_feature": 2, "num_filters_in": 1, )"
          R"("num_filters_out": 2, )")
          .empty());
  CHECK_THAT(conv2d(R"("kernel_size_time": 2, )"),
             EndsWith("kernel_size_time of 2, as the file states; found weights for 1"));
  CHECK_THAT(conv2d(R"("kernel_size_feature": 1, )"),
             EndsWith("kernel_size_feature of 1, as the file states; found weights for 2"));
  CHECK_THAT(conv2d(R"("num_filters_in": 2, )"),
             EndsWith("num_filters_in of 2, as the file states; found weights for 1"));
  CHECK_THAT(conv2d(R"("num_filters_out": 1, )"),
             EndsWith("num_filters_out of 1, as the file states; found weights for 2"));
  for (const std::string type : {"batchnorm", "batchnorm2d"}) {
    CHECK_THAT(refusal(layer(type, "[1, 2], [3, 4], [5, 6], [7]")),
               EndsWith("(" + type + "): expected weights of one length, [2] as the first; found [1]"));
    CHECK_THAT(refusal(layer(type, "[1, 2], [3, 4]", R"("shape": [null, 9, 3], )")),
               EndsWith("a shape of 3, as the file states; found weights for 2"));
    CHECK_THAT(refusal(layer(type, "[1, 2], [3, 4]", R"("num_filters_in": 3, )")),
               EndsWith("num_filters_in of 3, as the file states; found weights for 2"));
  }
  CHECK(refusal(layer("prelu", "[[0.5]]", R"("shape": [null, 9, 3], )")).empty());
  CHECK_THAT(refusal(layer("prelu", "[[1, 2]]", R"("shape": [null, 9, 3], )")),
             EndsWith("a shape of 3, as the file states; found weights for 2"));

  // The width before a layer is stated by the network, then by the layer before it.
  const auto network = [&](int in, int shape) {
    return refusal(R"({"in_shape": [null, )" + std::to_string(in) +
                   R"(], "layers": [{"type": "dense", "shape": [null, 3], )" +
                   R"("weights": [[[1, 2, 3]]]}, {"type": "activation", "shape": [null, )" +
                   std::to_string(shape) +
                   R"(], "weights": []}, {"type": "dense", "weights": [[[1], [2], [3]]]}]})");
  };
  CHECK(network(1, 3).empty());
  CHECK_THAT(
      network(2, 3),
      EndsWith(
          "layer 0 (dense): expected weights for an input of 2, as the file states; found weights for 1"));
  CHECK_THAT(
      network(1, 2),
      EndsWith(
          "layer 2 (dense): expected weights for an input of 2, as the file states; found weights for 3"));
}

TEST_CASE("what nests deep is refused, and what is long is said shortly", "[rtneural]") {
  for (const std::string& deep : {deep_lists(), deep_objects()}) {
    const std::string too_deep = "x.json: expected lists and objects nested at most 64 deep; found more";
    CHECK_THAT(refusal(R"({"layers": )" + deep + "}"), EndsWith(too_deep));
    CHECK_THAT(refusal(R"({"layers": [{"type": "dense", "weights": [], "activation": )" + deep + "}]}"),
               EndsWith(too_deep));
    CHECK_THAT(refusal(layer("dense", deep)), EndsWith(too_deep));
    CHECK_THAT(refusal(R"({"w": )" + deep + "}"), EndsWith(too_deep));
  }
  const std::string word(1 << 20, 'w');
  for (const std::string& text : {layer(word, ""), R"({"layers": ")" + word + "\"}",
                                  R"({"w": [")" + word + "\"]}", R"({")" + word + "\": []}"}) {
    CHECK_THAT(refusal(text), Contains("wwww…"));
    CHECK(refusal(text).size() < 500);
  }
}

TEST_CASE("each malformed JSON file is refused with a sentence of its own", "[rtneural]") {
  CHECK_THAT(refusal("{"), Contains("x.json: not valid JSON"));
  CHECK_THAT(refusal(R"({"layers": 3})"), EndsWith("x.json: expected 'layers' to be a list; found 3"));
  CHECK_THAT(refusal(R"({"layers": [{"weights": []}]})"),
             EndsWith("layer 0: expected an object with a type and a list of weights"));
  CHECK_THAT(refusal(layer("flatten", "")),
             Contains("layer 0: expected a type of dense, ") && EndsWith("found flatten"));
  CHECK_THAT(refusal(layer("dense", "[1, 2]")),
             EndsWith("layer 0 (dense): expected weights of 2 axes; found [2]"));
  CHECK_THAT(refusal(layer("dense", "")),
             EndsWith("layer 0 (dense): expected weights of 2, 1 axes; found none"));
  CHECK_THAT(refusal(layer("activation", "[1]")),
             EndsWith("layer 0 (activation): expected weights of no axes; found [1]"));
  CHECK_THAT(refusal(layer("batchnorm", "[1], [2], [3]")),
             EndsWith("layer 0 (batchnorm): expected weights of 1, 1, 1, 1 axes; found [1], [1], [1]"));
  CHECK_THAT(refusal(layer("prelu", "[[1], [2]]")),
             EndsWith("layer 0 (prelu): expected weights of 1 axes; found [2, 1]"));
  CHECK_THAT(refusal(layer("lstm", "[[1, 2, 3]], [[1, 2, 3, 4]], [1, 2, 3, 4]")),
             EndsWith("layer 0 (lstm): expected 4 gates of 1 in each weight; found [1, 3]"));
  CHECK_THAT(refusal(layer("gru", "[[1, 2, 3]], [[1, 2, 3]], [[1, 2, 3]]")),
             Contains("layer 0 (gru): expected two rows of biases") && EndsWith("found [1, 3]"));
  CHECK_THAT(
      refusal(layer("dense", "[[1, 2], [3]]")),
      EndsWith("layer 0, weight 0: expected lists of one length, [2, 2] as the first ones; found one of 1"));
  CHECK_THAT(refusal(R"({"w": [1, "two"]})"),
             EndsWith("tensor 'w': expected a number in lists of [2]; found \"two\""));
  CHECK_THAT(refusal(R"({"w": []})"), EndsWith("tensor 'w': expected numbers; found an empty list"));
  CHECK_THAT(refusal(R"({"w": {"x": 1}})"),
             EndsWith("tensor 'w': expected a number in lists of []; found object"));
}
