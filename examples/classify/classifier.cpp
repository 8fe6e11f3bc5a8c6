#include "classifier.hpp"

#include "networks.hpp"

#include <trained/folder.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace classify_program {

using namespace fovea;

class classifier::machine {
public:
  virtual ~machine() = default;
  virtual std::vector<float> scores(const std::vector<token_id>& ids) = 0;
};

namespace {

template <class network>
class machine_of_network final : public classifier::machine {
public:
  explicit machine_of_network(const model_weights& from)
      : net_(compile(network::model, from, {.capacity = {{"B", 1}, {"T", longest + network::added}}})) {}

  std::vector<float> scores(const std::vector<token_id>& words) override {
    const std::array text{read_by<network>(words)};
    return network::inputs(padded(text, std::array{std::size_t{0}}), [&](const auto&... given) {
      const auto out = net_(given...);
      const auto logits = out["logits"_out];
      return std::vector<float>(logits.data(), logits.data() + logits.size());
    });
  }

private:
  decltype(compile(network::model, std::declval<const model_weights&>(), {})) net_;
};

std::unique_ptr<classifier::machine> machine_of(const std::filesystem::path& folder) {
  const nlohmann::json sizes = trained::read_json(folder / "sizes.json");
  const std::string name = sizes.is_object() ? sizes.value("model", "") : "";
  trained::check_folder(folder, sizes_of(name), {"words.json", "labels.json"});
  const model_weights from = load_weights(folder / "weights.safetensors", {.copy = true});
  if (name == "kim") return std::make_unique<machine_of_network<kim>>(from);
  if (name == "rnn") return std::make_unique<machine_of_network<rnn>>(from);
  return std::make_unique<machine_of_network<bert>>(from);
}

std::vector<std::string> labels_in(const std::filesystem::path& file) {
  try {
    std::vector<std::string> labels = trained::read_json(file);
    if (labels.empty() || labels.size() > static_cast<std::size_t>(classes))
      throw error(file.string() + ": expected 1 to " + std::to_string(classes) + " labels, found " +
                  std::to_string(labels.size()));
    return labels;
  } catch (const nlohmann::json::exception&) {
    throw error(file.string() + ": expected a list of labels");
  }
}

} // namespace

nlohmann::json sizes_of(const std::string& model) {
  using json = nlohmann::json;
  const auto with = [&](json sizes) {
    sizes.update({{"model", model}, {"classes", classes}});
    return sizes;
  };
  if (constexpr auto c = kim_sizes; model == "kim")
    return with({{"vocab", c.vocab}, {"width", c.width}, {"filters", c.filters}});
  if (constexpr auto c = rnn_sizes; model == "rnn")
    return with({{"vocab", c.vocab}, {"width", c.width}, {"hidden", c.hidden}});
  if (constexpr auto c = bert_sizes; model == "bert")
    return with({{"vocab", c.vocab},
                 {"width", c.width},
                 {"layers", c.layers},
                 {"heads", c.heads},
                 {"inner", c.inner},
                 {"context", c.context}});
  throw error("expected the model kim, rnn or bert, found " + model);
}

classifier::classifier(const std::filesystem::path& folder)
    : labels_(labels_in(folder / "labels.json")), words_(load_tokenizer(folder / "words.json")),
      machine_(machine_of(folder)) {}
classifier::~classifier() = default;

std::vector<double> classifier::probabilities(const std::string& text) {
  const std::vector<token_id> ids = words_.encode(text).ids;
  if (ids.empty()) throw error("there are no words to classify");
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
