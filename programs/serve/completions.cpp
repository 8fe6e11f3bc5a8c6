#include <fovea/programs/serve/completions.hpp>

#include <fovea/programs/token_ids.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <utility>

namespace fovea::programs {
namespace {

using json = nlohmann::ordered_json;
using clock = completion::clock;

const char* reason_of(ended_by why) { return why == ended_by::length ? "length" : "stop"; }

/// What is alike in all that is said of one answer.
struct answer_head {
  bool is_chat, streamed;
  std::string model;
  std::string id = [] {
    static std::atomic<std::uint64_t> count = 0;
    return fmt::format("{:x}-{}", static_cast<std::uint64_t>(std::time(nullptr)), ++count);
  }();
  std::int64_t created = static_cast<std::int64_t>(std::time(nullptr));

  /// One choice in braces of its own would be an array to g++ and itself to clang.
  json with_one(const json& choice) const { return with(json::array({choice})); }
  json with(json choices) const {
    const char* kind = !is_chat ? "text_completion" : streamed ? "chat.completion.chunk" : "chat.completion";
    return {{"id", (is_chat ? "chatcmpl-" : "cmpl-") + id},
            {"object", kind},
            {"created", created},
            {"model", model},
            {"choices", std::move(choices)}};
  }
  /// A text, or a piece of it where it is streamed.
  json choice(std::size_t index, const std::string& text, const json& reason) const {
    json made{{"index", index}};
    if (!is_chat)
      made["text"] = text;
    else if (streamed)
      made["delta"] = text.empty() && !reason.is_null() ? json::object() : json{{"content", text}};
    else
      made["message"] = {{"role", "assistant"}, {"content", text}};
    made["logprobs"] = nullptr;
    made["finish_reason"] = reason;
    return made;
  }
};

json usage_of(const std::vector<std::shared_ptr<completion>>& all, std::size_t samples) {
  std::size_t prompts = 0, written = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i % samples == 0) prompts += all[i]->prompt.size();
    written += all[i]->tokens();
  }
  return {{"prompt_tokens", prompts}, {"completion_tokens", written}, {"total_tokens", prompts + written}};
}

std::string event(const json& value) {
  return "data: " + value.dump(-1, ' ', false, json::error_handler_t::replace) + "\n\n";
}

std::string too_long(const server_limits& limits) {
  return fmt::format("the answer took longer than {} s", limits.time.count());
}

/// An answer that is sent as it is written.
class event_stream {
public:
  event_stream(answer_head head, std::vector<std::shared_ptr<completion>> all, const writing_request& asked,
               http_server& server)
      : answering_(server.answering()), head_(std::move(head)), all_(std::move(all)), ended_(all_.size()),
        samples_(asked.how.samples), with_usage_(asked.with_usage), limits_(server.limits()),
        deadline_(clock::now() + limits_.time) {}
  ~event_stream() {
    for (const auto& text : all_) text->leave();
  }

  /// Sends what there is; false where nobody listens.
  bool send(httplib::DataSink& to) {
    std::string events = std::exchange(begun_, true) || !head_.is_chat ? "" : first();
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (ended_[i]) continue;
      // One text is waited for; several are looked at in turn.
      const auto until = all_.size() == 1 ? deadline_ : clock::now() + std::chrono::milliseconds(5);
      const completion::news told = all_[i]->wait(until);
      if (!told.problem.empty()) return finish(to, events + failure(told.problem));
      if (!told.text.empty()) events += event(head_.with_one(head_.choice(i, told.text, nullptr)));
      if (!told.ended) continue;
      events += event(head_.with_one(head_.choice(i, "", reason_of(told.why))));
      ended_[i] = true;
    }
    if (std::ranges::find(ended_, false) == ended_.end()) {
      if (with_usage_) {
        json last = head_.with(json::array());
        last["usage"] = usage_of(all_, samples_);
        events += event(last);
      }
      return finish(to, events + "data: [DONE]\n\n");
    }
    if (clock::now() >= deadline_) return finish(to, events + failure(too_long(limits_)));
    return events.empty() || to.write(events.data(), events.size());
  }

private:
  std::string first() const {
    std::string events;
    for (std::size_t i = 0; i < all_.size(); ++i)
      events += event(head_.with_one(
          {{"index", i}, {"delta", {{"role", "assistant"}, {"content", ""}}}, {"finish_reason", nullptr}}));
    return events;
  }
  static std::string failure(const std::string& problem) {
    return event({{"error", {{"message", problem}, {"type", "server_error"}}}});
  }
  static bool finish(httplib::DataSink& to, const std::string& events) {
    const bool sent = to.write(events.data(), events.size());
    to.done();
    return sent;
  }

  std::shared_ptr<void> answering_;
  answer_head head_;
  std::vector<std::shared_ptr<completion>> all_;
  std::vector<bool> ended_;
  std::size_t samples_;
  bool with_usage_, begun_ = false;
  server_limits limits_;
  clock::time_point deadline_;
};

} // namespace

completion_routes::completion_routes(http_server& server, std::unique_ptr<row_network> network,
                                     tokenizer words, const program_parts& parts, settings how)
    : server_(server), network_(std::move(network)), words_(std::move(words)), model_(parts.name),
      how_(std::move(how)), end_(ids_of(parts.end, words_)),
      writer_(*network_, how_.rows, how_.waiting, how_.piece) {
  if (!parts.begin.empty()) begin_.push_back(id_of(parts.begin, words_));
  server.post("/v1/completions",
              [this](const std::string& body, auto& to) { answer(read_completion(body), false, to); });
  server.post("/v1/chat/completions", [this](const std::string& body, auto& to) {
    answer(read_chat(body, how_.chat.text()), true, to);
  });
}

token_ids completion_routes::prompt_ids(const std::string& text, bool is_chat) const {
  token_ids ids = is_chat ? how_.chat.ids_of(text) : words_.encode(text).ids;
  if (ids.empty()) ids = begin_;
  if (ids.empty()) throw refused_request(400, "prompt: the text is empty");
  if (ids.size() >= how_.context)
    throw refused_request(
        400, fmt::format("prompt: expected fewer than {} tokens, the context of the model; found {}",
                         how_.context, ids.size()));
  return ids;
}

std::optional<token_grammar> completion_routes::grammar_of(const writing_request& asked, bool is_chat) {
  if (!asked.says) return std::nullopt;
  std::call_once(are_spelled_, [&] { spelled_.emplace(words_); });
  return token_grammar(*asked.says, *spelled_, is_chat ? how_.chat.ends() : end_);
}

completion_routes::answers completion_routes::begin(const writing_request& asked, bool is_chat) {
  const auto refuse = [&] {
    throw refused_request(503, fmt::format("too many texts are waiting; expected at most {}", how_.waiting));
  };
  if (asked.prompts.size() * asked.how.samples > how_.rows + how_.waiting) refuse(); // before any is made
  answers all;
  std::vector<std::string> stops = asked.stops;
  if (is_chat) stops.insert(stops.end(), how_.chat.stops().begin(), how_.chat.stops().end());
  const std::optional<token_grammar> grammar = grammar_of(asked, is_chat);
  for (const std::string& prompt : asked.prompts) {
    const token_ids ids = prompt_ids(prompt, is_chat);
    for (std::size_t i = 0; i < asked.how.samples; ++i) {
      sampling_options how = asked.how;
      how.seed += i, how.samples = 1;
      stopping_options where;
      where.max_tokens = std::min(asked.most_tokens, how_.context - ids.size()),
      where.end = is_chat ? how_.chat.ends() : end_;
      all.push_back(std::make_shared<completion>(words_, ids, how, where, stops, asked.streamed, grammar));
    }
  }
  if (!writer_.take({all.begin(), all.end()})) refuse();
  return all;
}

void completion_routes::answer(const writing_request& asked, bool is_chat, http_server::response& to) {
  const answers all = begin(asked, is_chat);
  const answer_head head{.is_chat = is_chat, .streamed = asked.streamed, .model = model_};
  if (asked.streamed) {
    const auto events = std::make_shared<event_stream>(head, all, asked, server_);
    to.set_chunked_content_provider(
        "text/event-stream", [events](std::size_t, httplib::DataSink& sink) { return events->send(sink); });
    to.set_header("Cache-Control", "no-cache");
    return;
  }
  const auto deadline = clock::now() + server_.limits().time;
  json choices = json::array();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const completion::news told = all[i]->wait_for_all(deadline);
    if (!told.ended || !told.problem.empty()) {
      for (const auto& text : all) text->leave();
      throw told.ended ? refused_request(500, told.problem)
                       : refused_request(504, too_long(server_.limits()));
    }
    choices.push_back(head.choice(i, told.text, reason_of(told.why)));
  }
  json made = head.with(std::move(choices));
  made["usage"] = usage_of(all, asked.how.samples);
  http_server::answer_json(to, made);
}

std::string completion_routes::metrics() const {
  const row_writer::counts c = writer_.count();
  return fmt::format("# TYPE fovea_texts_running gauge\nfovea_texts_running {}\n"
                     "# TYPE fovea_texts_waiting gauge\nfovea_texts_waiting {}\n"
                     "# TYPE fovea_prompt_tokens_total counter\nfovea_prompt_tokens_total {}\n"
                     "# TYPE fovea_tokens_total counter\nfovea_tokens_total {}\n",
                     c.running, c.waiting, c.prompt_tokens, c.tokens);
}

} // namespace fovea::programs
