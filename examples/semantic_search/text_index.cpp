#include "text_index.hpp"

#include <algorithm>
#include <chrono>
#include <map>

namespace semantic_search {
namespace {

/// A file that was changed this recently may change again without a new time of change.
constexpr std::int64_t clock_grain = 2'000'000'000;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

content_hash hash_of_tokens(const tokens& ids) {
  return hash_of({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(int)});
}

class updater {
public:
  updater(const text_index& previous, const text_model& model) : previous_(previous), model_(model) {
    result_.index.model = model.identity;
    result_.index.width = model.width;
    if (previous.model != model.identity || previous.width != model.width) return;
    for (std::size_t i = 0; i < previous.files.size(); ++i) {
      by_path_.emplace(previous.files[i].path, i);
      if (previous.files[i].content != content_hash{}) by_content_.emplace(previous.files[i].content, i);
    }
    for (std::size_t row = 0; row < previous.rows.size(); ++row) old_rows_.emplace(previous.rows[row], row);
    for (std::size_t i = previous.passages.size(); i-- > 0;) first_passage_[previous.passages[i].file] = i;
  }

  index_update run(std::span<const text_file> files) {
    for (const text_file& file : files) add(file);
    text_index& index = result_.index;
    const std::vector<float> computed = model_.embed(pending_);
    std::size_t next = 0;
    for (const content_hash& row : index.rows) {
      const auto old = old_rows_.find(row);
      const float* from = old != old_rows_.end() ? previous_.vectors.data() + old->second * index.width
                                                 : computed.data() + next++ * index.width;
      index.vectors.insert(index.vectors.end(), from, from + index.width);
    }
    result_.embedded = pending_.size();
    result_.changed = index.model != previous_.model || index.files != previous_.files;
    return std::move(result_);
  }

private:
  void add(const text_file& file) {
    const file_stamp stamp = stamp_of(file.path);
    const auto same_path = by_path_.find(file.path.native());
    if (same_path != by_path_.end() && previous_.files[same_path->second].stamp == stamp) {
      const content_hash content = previous_.files[same_path->second].content;
      if (content != content_hash{} || !file.named) {
        keep(same_path->second, {file.path.native(), stamp, content});
        return;
      }
    }
    std::string text;
    try {
      text = read_text(file.path);
    } catch (const not_a_text& problem) {
      if (file.named) throw;
      result_.skipped.push_back(problem.what());
      result_.index.files.push_back({file.path.native(), remembered(stamp), {}});
      return;
    } catch (const fovea::error& problem) {
      if (file.named) throw;
      result_.skipped.push_back(problem.what());
      return;
    }
    const indexed_file entry{file.path.native(), remembered(stamp), hash_of(text)};
    const auto same_content = by_content_.find(entry.content);
    if (same_content != by_content_.end())
      keep(same_content->second, entry);
    else
      split(text, entry);
  }

  file_stamp remembered(file_stamp stamp) const {
    if (stamp.modified > started_ - clock_grain) stamp.modified = 0;
    return stamp;
  }

  void keep(std::size_t old_file, indexed_file entry) {
    const auto first = first_passage_.find(old_file);
    if (first != first_passage_.end())
      for (std::size_t i = first->second; i < previous_.passages.size(); ++i) {
        const indexed_passage& p = previous_.passages[i];
        if (p.file != old_file) break;
        result_.index.passages.push_back({p, result_.index.files.size(), row_of(previous_.rows[p.row])});
      }
    result_.index.files.push_back(std::move(entry));
  }

  void split(std::string_view text, indexed_file entry) {
    for (const passage& p : split_passages(text, model_.pieces)) {
      tokens ids = model_.encode(text.substr(p.begin, p.end - p.begin));
      const content_hash hash = hash_of_tokens(ids);
      if (!rows_.contains(hash) && !old_rows_.contains(hash)) pending_.push_back(std::move(ids));
      result_.index.passages.push_back({p, result_.index.files.size(), row_of(hash)});
    }
    result_.index.files.push_back(std::move(entry));
  }

  std::size_t row_of(content_hash hash) {
    const auto [at, is_new] = rows_.emplace(hash, result_.index.rows.size());
    if (is_new) result_.index.rows.push_back(hash);
    return at->second;
  }

  const text_index& previous_;
  const text_model& model_;
  const std::int64_t started_ = now();
  std::map<std::string, std::size_t> by_path_;
  std::map<content_hash, std::size_t> by_content_, old_rows_, rows_;
  std::map<std::size_t, std::size_t> first_passage_;
  std::vector<tokens> pending_;
  index_update result_;
};

} // namespace

index_update updated(const text_index& previous, std::span<const text_file> files, const text_model& model) {
  return updater(previous, model).run(files);
}

} // namespace semantic_search
