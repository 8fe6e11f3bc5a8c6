#include "picture_index.hpp"

#include <fovea/base/error.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>

namespace search_images {
namespace {

using semantic_search::text_file;

/// A file that was changed this recently may change again without a new time of change.
constexpr std::int64_t clock_grain = 2'000'000'000;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// Whether a file begins as a picture does. One that cannot be opened is left to who reads it.
bool may_be_picture(const std::filesystem::path& file) {
  std::ifstream from(file, std::ios::binary);
  std::string bytes(8, '\0');
  from.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return !from.is_open() ||
         picture::begins_image(std::string_view(bytes).substr(0, static_cast<std::size_t>(from.gcount())));
}

class updater {
public:
  updater(const picture_index& previous, const picture_model& model) : previous_(previous), model_(model) {
    picture_index& index = result_.index;
    if (previous.model == model.identity && previous.width == model.width) index = previous;
    index.model = model.identity, index.width = model.width;
    for (const auto& [path, picture] : index.pictures) by_content_.emplace(picture.content, path);
  }

  index_update run(std::span<const text_file> files) {
    std::set<std::string> here;
    std::vector<text_file> unknown;
    for (const text_file& file : files) {
      here.insert(file.path.native());
      const auto known = result_.index.pictures.find(file.path.native());
      const bool same = known != result_.index.pictures.end() &&
                        known->second.stamp == semantic_search::stamp_of(file.path);
      if (!same) unknown.push_back(file);
    }
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      here_again(unknown[i]);
      const bool last = i + 1 == unknown.size();
      if (pending_.size() == model_.batch || last) embed();
      if (pending_.empty()) model_.progress(i + 1, unknown.size(), result_.index);
    }
    // What is gone helps until the end: its pictures may lie elsewhere now.
    std::erase_if(result_.index.pictures, [&](const auto& entry) { return !here.contains(entry.first); });
    result_.changed = result_.index != previous_;
    return std::move(result_);
  }

private:
  struct pending_picture {
    std::string path;
    file_stamp stamp;
    content_hash content;
  };

  /// A file that is new or was changed.
  void here_again(const text_file& file) {
    const std::string& path = file.path.native();
    try {
      if (!file.named && !may_be_picture(file.path)) {
        ++result_.passed_over;
        result_.index.pictures.erase(path);
        return;
      }
      file_stamp stamp = semantic_search::stamp_of(file.path);
      if (stamp.modified > started_ - clock_grain) stamp.modified = 0;
      const std::string bytes = picture::bytes_of(file.path);
      const content_hash content = semantic_search::hash_of(bytes);
      if (const auto same = by_content_.find(content); same != by_content_.end()) {
        result_.index.pictures[path] = {stamp, content, result_.index.pictures.at(same->second).vector};
        return;
      }
      prepared_.push_back(model_.prepare(picture::read_image(bytes, file.path.string())));
      pending_.push_back({path, stamp, content});
    } catch (const fovea::error& problem) {
      if (file.named) throw;
      result_.skipped.push_back(problem.what());
      result_.index.pictures.erase(path);
    }
  }

  void embed() {
    if (pending_.empty()) return;
    const std::vector<float> vectors = model_.embed(prepared_);
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      const auto row = std::span(vectors).subspan(i * model_.width, model_.width);
      const pending_picture& one = pending_[i];
      result_.index.pictures[one.path] = {one.stamp, one.content, {row.begin(), row.end()}};
      by_content_.emplace(one.content, one.path);
    }
    result_.embedded += pending_.size();
    pending_.clear(), prepared_.clear();
  }

  const picture_index& previous_;
  const picture_model& model_;
  const std::int64_t started_ = now();
  std::map<content_hash, std::string> by_content_; // the path of a picture
  std::vector<pending_picture> pending_;
  std::vector<std::vector<float>> prepared_;
  index_update result_;
};

} // namespace

index_update updated(const picture_index& previous, std::span<const text_file> files,
                     const picture_model& model) {
  return updater(previous, model).run(files);
}

std::vector<hit> nearest(const picture_index& index, std::span<const float> vector, std::size_t top) {
  std::vector<hit> hits;
  for (const auto& [path, picture] : index.pictures)
    hits.push_back({path, std::inner_product(vector.begin(), vector.end(), picture.vector.begin(), 0.0f)});
  std::ranges::stable_sort(hits, std::greater<>(), &hit::score);
  hits.resize(std::min(top, hits.size()));
  return hits;
}

} // namespace search_images
