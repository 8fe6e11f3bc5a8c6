#include "classifier.hpp"

#include <fovea/base/error.hpp>
#include <fovea/base/in_quotes.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace classify_image {
namespace {

constexpr std::string_view place = "{}";

std::string filled(std::string prompt, const std::string& label) {
  const std::size_t at = prompt.find(place);
  if (at == std::string::npos)
    throw fovea::error("prompt " + fovea::core::in_quotes(prompt) + ": expected {} where the label goes");
  return prompt.replace(at, place.size(), label);
}

void check(std::span<const std::string> labels) {
  if (labels.size() < 2)
    throw fovea::error("expected two labels or more, found " + std::to_string(labels.size()));
  std::set<std::string> known;
  for (const std::string& label : labels)
    if (!known.insert(label).second)
      throw fovea::error("label " + fovea::core::in_quotes(label) + ": expected each label once");
}

void normalise(std::span<float> vector) {
  const float length = std::sqrt(std::inner_product(vector.begin(), vector.end(), vector.begin(), 0.0f));
  for (float& x : vector) x /= length;
}

} // namespace

classifier::classifier(clip_program::encoder& encoder, std::vector<std::string> labels,
                       std::span<const std::string> prompts)
    : encoder_(encoder), labels_(std::move(labels)) {
  check(labels_);
  const std::size_t width = encoder.width();
  vectors_.resize(labels_.size() * width);
  for (const std::string& prompt : prompts) {
    std::vector<std::string> texts;
    for (const std::string& label : labels_) texts.push_back(filled(prompt, label));
    std::ranges::transform(vectors_, encoder.of_texts(texts), vectors_.begin(), std::plus<>());
  }
  for (std::size_t i = 0; i < labels_.size(); ++i) normalise(std::span(vectors_).subspan(i * width, width));
}

std::vector<judged_label> classifier::judged(const picture::image& shown) const {
  const clip_program::pixels pixels = encoder_.prepared(shown);
  const std::vector<float> vector = encoder_.of_pictures({&pixels, 1});
  std::vector<judged_label> all;
  const float* row = vectors_.data();
  for (const std::string& label : labels_) {
    all.push_back({label, encoder_.scale() * std::inner_product(vector.begin(), vector.end(), row, 0.0f)});
    row += vector.size();
  }
  std::ranges::stable_sort(all, std::greater<>(), &judged_label::probability);
  const float most = all.front().probability;
  float sum = 0;
  for (judged_label& one : all) sum += one.probability = std::exp(one.probability - most);
  for (judged_label& one : all) one.probability /= sum;
  return all;
}

std::vector<std::string> between_commas(const std::string& text) {
  constexpr const char* white = " \t";
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string part = text.substr(at, end - at);
    const std::size_t first = part.find_first_not_of(white);
    if (first != std::string::npos)
      parts.push_back(part.substr(first, part.find_last_not_of(white) + 1 - first));
    at = end + 1;
  }
  return parts;
}

} // namespace classify_image
