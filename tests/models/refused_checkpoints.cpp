// Checkpoints of training that something has changed: each is refused with its name, and training goes on as
// if nothing had been.

#include "../compare_backends.hpp"
#include "../message_of.hpp"
#include "../weights/temporary_folder.hpp"

#include <fovea/fovea.hpp>
#include <fovea/runtime/training/initialise.hpp>
#include <fovea/weights/safetensors.hpp>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

using namespace fovea;
using namespace fovea::core;
using namespace fovea::core::test;

namespace {

inline constexpr dim B{"B"};

/// Carries h on from call to call; the gradients of two parameters are accumulated.
constexpr auto recurrent = model("recurrent", [](graph& g) {
  const expr x = g.input<f32>("x", {B, 3}), h = g.input<f32>("h", {B, 5});
  const expr next = tanh(linear(concat(axis(1), x, h), "mix", 5));
  g.output("new.h", next);
  g.output("loss", mse(next, 0 * h + 0.5));
});

using tensor_map = std::map<std::string, stored_tensor>;
using note_map = std::map<std::string, std::string>;

auto made_trainer() {
  return train(recurrent, adam{.rate = 1e-2}, initial_weights(recurrent, 1),
               {.capacity = {{B, 4}}, .accumulate = 4});
}
template <class trainer>
float learn(trainer& fit, int i) {
  xt::xtensor<float, 2> x = xt::empty<float>({2, 3});
  for (std::size_t k = 0; k < 6; ++k) x.flat(k) = std::sin(static_cast<float>(k) + static_cast<float>(i));
  return fit.step("x"_in = x).loss;
}

/// What a trainer says of a checkpoint in which `change` was made; it must go on as without it.
std::string refusal(const std::function<void(tensor_map&, note_map&)>& change) {
  const temporary_folder folder;
  const auto path = folder / "changed.safetensors";
  auto fit = made_trainer(), undisturbed = made_trainer();
  for (int i = 0; i < 6; ++i) learn(fit, i), learn(undisturbed, i);
  fit.save(path);
  const safetensors_file saved(path);
  tensor_map tensors = saved.tensors();
  note_map notes = saved.metadata();
  change(tensors, notes);
  save_safetensors(folder / "other", tensors, notes);
  const std::string text = message_of<error>([&] { fit.resume(folder / "other"); }),
                    name = (folder / "other").string() + ": ";
  for (int i = 6; i < 12; ++i) CHECK(learn(fit, i) == learn(undisturbed, i));
  CHECK(values_of(fit.weights()) == values_of(undisturbed.weights()));
  REQUIRE(text.starts_with(name));
  return text.substr(name.size());
}

/// The same bytes as fewer elements of another type.
void retype(stored_tensor& tensor, element_type type) {
  tensor.type = type;
  std::size_t count = 1;
  for (const std::size_t size : tensor.shape) count *= size;
  tensor.bytes = tensor.bytes.first(*tensor_bytes(type, tensor.shape));
  REQUIRE(tensor.bytes.size() < count * sizeof(float));
}

const float nan_and_zeros[15] = {std::numeric_limits<float>::quiet_NaN()};

} // namespace

TEST_CASE("tensors of a checkpoint in another type are refused", "[training]") {
  for (const std::string name : {"carried.h", "accumulated.mix.bias"})
    CHECK(refusal([&](tensor_map& tensors, note_map&) { retype(tensors.at(name), element_type::i8); }) ==
          "expected the tensor " + name + " to be F32, found I8");
  for (const std::string name : {"mix.bias", "optimizer.mean.mix.bias"})
    CHECK_THAT(refusal([&](tensor_map& tensors, note_map&) { retype(tensors.at(name), element_type::f16); }),
               Catch::Contains("expected the tensor " + name + " to be F32 [5], found F16 [5]"));
}

TEST_CASE("a checkpoint that lacks gradients of calls that were made is refused", "[training]") {
  CHECK(refusal([](tensor_map& tensors, note_map&) { tensors.erase("accumulated.mix.weight"); }) ==
        "expected 40 values of accumulated.mix.weight, for 2 calls of an update were made, found none");
  CHECK(refusal([](tensor_map& tensors, note_map&) {
          auto node = tensors.extract("accumulated.mix.weight");
          node.key() = "accumulated.other";
          tensors.insert(std::move(node));
        }) == "expected 40 values of accumulated.mix.weight, for 2 calls of an update were made, found none");
  CHECK(refusal([](tensor_map& tensors, note_map&) {
          tensors["accumulated.other"] = tensors.at("accumulated.mix.bias");
        }) == "there are gradients accumulated of parameters that this model has not");
}

TEST_CASE("what is carried in a checkpoint has the shape of its input", "[training]") {
  const auto with_shape = [](std::vector<std::size_t> shape) {
    return refusal([&](tensor_map& tensors, note_map&) {
      stored_tensor& h = tensors.at("carried.h");
      h.shape = shape;
      h.bytes = h.bytes.first(*tensor_bytes(h.type, shape));
    });
  };
  CHECK(with_shape({2, 4}) == "expected the tensor carried.h to be [B, 5], found [2, 4]");
  CHECK(with_shape({2, 5, 1}) == "expected the tensor carried.h to be [B, 5], found [2, 5, 1]");
  CHECK(with_shape({0, 5}) == "expected the tensor carried.h to be [B, 5], found [0, 5]");
}

TEST_CASE("a checkpoint holds finite numbers", "[training]") {
  for (const std::string name : {"mix.bias", "optimizer.mean.mix.bias", "accumulated.mix.bias"})
    CHECK(refusal([&](tensor_map& tensors, note_map&) {
            tensors.at(name).bytes = std::as_bytes(std::span(nan_and_zeros)).first(5 * sizeof(float));
          }) == "expected finite values in the tensor " + name + ", found others");
}

TEST_CASE("the notes of a checkpoint are numbers that training counts", "[training]") {
  for (const std::string step : {"", "x", "-1", "1.5", "99999999999999999999", "9223372036854775807", "3 4"})
    CHECK(refusal([&](tensor_map&, note_map& notes) { notes["step"] = step; }) ==
          "expected a checkpoint that training saved, with the step in its metadata");
  for (const std::string calls : {"", "x", "2", "2 0x1p+0", "-1 0x1p+0 3", "2 loss 3", "2 inf 3",
                                  "2 0x1p+0 -1", "2 0x1p+0 nan", "2 0x1p+0 3 4"})
    CHECK(refusal([&](tensor_map&, note_map& notes) { notes["accumulated"] = calls; }) ==
          "expected the calls of an update, the sum of their losses and what these weigh in the note "
          "\"accumulated\", found '" +
              calls + "'");
}
