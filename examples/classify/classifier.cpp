#include "classifier.hpp"

#include "sizes.hpp"

#include <trained/folder.hpp>

#include <fovea/fovea.hpp>

#include <algorithm>
#include <cmath>

namespace classify_program {

using namespace fovea;

class classifier::machine {
public:
  virtual ~machine() = default;
  virtual std::vector<float> scores(const std::vector<token_id>& ids) = 0;
};

namespace {

constexpr std::int64_t around = 5; // padding before and after a text, so that each filter has seen some
constexpr std::int64_t most = classifier::longest + 2 * around;

class convolutional final : public classifier::machine {
public:
  explicit convolutional(const weights& from)
      : net_(compile(models::kim_cnn<cnn_sizes>, from, {.capacity = {{"B", 1}, {"T", most}}})) {}

  std::vector<float> scores(const std::vector<token_id>& ids) override {
    xt::xtensor<int, 2> tokens = xt::zeros<int>({std::size_t{1}, ids.size() + 2 * around});
    std::copy(ids.begin(), ids.end(), tokens.begin() + around);
    const auto out = net_("tokens"_in = tokens);
    const auto logits = out["logits"_out];
    return {logits.data(), logits.data() + logits.size()};
  }

private:
  decltype(compile(models::kim_cnn<cnn_sizes>, std::declval<const weights&>(), {})) net_;
};

class recurrent final : public classifier::machine {
public:
  explicit recurrent(const weights& from)
      : net_(compile(models::rnn_classifier<rnn_sizes>, from, {.capacity = {{"B", 1}, {"T", most}}})) {}

  std::vector<float> scores(const std::vector<token_id>& ids) override {
    auto tokens = xt::xtensor<int, 2>::from_shape({1, ids.size()});
    std::copy(ids.begin(), ids.end(), tokens.begin());
    const xt::xtensor<int, 1> lengths{static_cast<int>(ids.size())};
    const auto out = net_("tokens"_in = tokens, "lengths"_in = lengths);
    const auto logits = out["logits"_out];
    return {logits.data(), logits.data() + logits.size()};
  }

private:
  decltype(compile(models::rnn_classifier<rnn_sizes>, std::declval<const weights&>(), {})) net_;
};

std::unique_ptr<classifier::machine> machine_of(const std::filesystem::path& folder) {
  const nlohmann::json sizes = trained::read_json(folder / "sizes.json");
  const std::string name = sizes.is_object() ? sizes.value("model", "") : "";
  trained::check_folder(folder, sizes_of(name), {"words.json", "labels.json"});
  const weights from = load_weights(folder / "weights.safetensors");
  if (name == "cnn") return std::make_unique<convolutional>(from);
  return std::make_unique<recurrent>(from);
}

std::vector<std::string> labels_in(const std::filesystem::path& file) {
  try {
    std::vector<std::string> labels = trained::read_json(file);
    if (labels.empty() || labels.size() > static_cast<std::size_t>(cnn_sizes.classes))
      throw error(file.string() + ": expected 1 to " + std::to_string(cnn_sizes.classes) + " labels, found " +
                  std::to_string(labels.size()));
    return labels;
  } catch (const nlohmann::json::exception&) {
    throw error(file.string() + ": expected a list of labels");
  }
}

} // namespace

nlohmann::json sizes_of(const std::string& model) {
  if (model == "cnn") {
    constexpr auto c = cnn_sizes;
    return {{"model", model},
            {"vocab", c.vocab},
            {"width", c.width},
            {"filters", c.filters},
            {"classes", c.classes}};
  }
  if (model == "rnn") {
    constexpr auto c = rnn_sizes;
    return {{"model", model},
            {"vocab", c.vocab},
            {"width", c.width},
            {"hidden", c.hidden},
            {"classes", c.classes}};
  }
  throw error("expected the model cnn or rnn, found " + model);
}

classifier::classifier(const std::filesystem::path& folder)
    : labels_(labels_in(folder / "labels.json")), words_(load_tokenizer(folder / "words.json")),
      machine_(machine_of(folder)) {}
classifier::~classifier() = default;

std::vector<double> classifier::probabilities(const std::string& text) {
  std::vector<token_id> ids = words_.encode(text).ids;
  if (ids.empty()) throw error("there are no words to classify");
  ids.resize(std::min(ids.size(), longest));
  std::vector<float> scores = machine_->scores(ids);
  scores.resize(labels_.size()); // the network has places for more
  const float largest = *std::max_element(scores.begin(), scores.end());
  std::vector<double> shares;
  double sum = 0;
  for (const float score : scores) sum += shares.emplace_back(std::exp(static_cast<double>(score - largest)));
  for (double& share : shares) share /= sum;
  return shares;
}

} // namespace classify_program
