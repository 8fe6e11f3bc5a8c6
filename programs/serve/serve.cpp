#include <fovea/programs/serve.hpp>

#include <fovea/programs/options.hpp>
#include <fovea/programs/serve/attention.hpp>
#include <fovea/programs/serve/completions.hpp>
#include <fovea/programs/serve/embeddings.hpp>
#include <fovea/programs/serve/page.hpp>

#include <program/program.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <csignal>
#include <functional>
#include <malloc.h>
#include <memory>
#include <thread>
#include <unistd.h>

namespace fovea::programs {
namespace {

using json = nlohmann::ordered_json;

struct arguments : options {
  std::string host = "127.0.0.1";
  chat_choice chat;
  int port = 8080;
  std::size_t rows = 8, waiting = 256, connections = 256, body = 1024, piece = 128;
  std::int64_t time = 300;
};

void declare_server(CLI::App& app, arguments& a, const served_network& network) {
  app.add_option("--host", a.host, "The address to listen at; 0.0.0.0: every one of this machine")
      ->capture_default_str();
  app.add_option("--port", a.port, "0: any that is free")->capture_default_str()->check(CLI::Range(0, 65535));
  app.add_option("--waiting", a.waiting, "The most texts that wait to be worked on")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--connections", a.connections, "The most clients at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 14));
  app.add_option("--body", a.body, "The longest request, in KiB")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--time", a.time, "The longest that an answer may take, in seconds")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  if (network.writer == nullptr) return;
  app.add_option("--rows", a.rows, "The texts that are written at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 10));
  declare_cache(app, a);
  app.add_option("--prompt-piece", a.piece,
                 "How many tokens of a prompt are read between two tokens of the others")
      ->capture_default_str()
      ->check(CLI::Range(1, 1 << 20));
  app.add_option(
      "--chat", a.chat.name,
      "How a conversation is put to the model, in place of the template of its files: plain, chatml, "
      "llama2 or llama3; plain where there is no template");
  declare_chat_template(app, a.chat);
}

/// Stops a server at the first SIGINT or SIGTERM; the second ends the program, and so does the first where there is no
/// server yet. Made before any other thread, which then leave these signals to it.
class stopping_signals {
public:
  stopping_signals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  void wait(const std::string& name) {
    std::thread([server = server_, signals = signals_, name] {
      int which = 0;
      sigwait(&signals, &which);
      http_server* const begun = server->load();
      if (begun == nullptr) _exit(128 + which);
      program::notice(name, "finishing what has begun; once more ends it at once");
      std::thread([begun] { begun->finish(); }).detach();
      sigwait(&signals, &which);
      _exit(128 + which);
    }).detach();
  }
  /// The server that the first signal stops, or null.
  void stop(http_server* server) { *server_ = server; }

private:
  sigset_t signals_{};
  std::shared_ptr<std::atomic<http_server*>> server_ = std::make_shared<std::atomic<http_server*>>(nullptr);
};

/// What is allocated and not given back, of the whole process.
std::string memory_metrics() {
  const struct mallinfo2 heap = ::mallinfo2();
  return fmt::format("# TYPE fovea_memory_bytes gauge\nfovea_memory_bytes {}\n", heap.uordblks + heap.hblkhd);
}

void add_common_routes(http_server& server, const program_parts& parts, const served_network& network,
                       std::function<std::string()> metrics) {
  server.get("/health", [](auto& to) { http_server::answer_json(to, {{"status", "ok"}}); });
  server.get("/metrics", [&server, metrics = std::move(metrics)](auto& to) {
    to.set_content(server.metrics() + metrics() + memory_metrics(), "text/plain; version=0.0.4");
  });
  server.get("/v1/models", [name = parts.name](auto& to) {
    http_server::answer_json(
        to, {{"object", "list"},
             {"data", json::array({{{"id", name}, {"object", "model"}, {"owned_by", "fovea"}}})}});
  });
  server.get("/", [page = page_of(parts.name, network.writer != nullptr, network.attention.heads)](auto& to) {
    to.set_content(page, "text/html; charset=utf-8");
  });
}

void run(const arguments& a, const served_network& network, const program_parts& parts,
         stopping_signals& signals) {
  http_server server(
      {.body_bytes = a.body * 1024, .connections = a.connections, .time = std::chrono::seconds(a.time)});
  const model_weights weights = weights_of(a, parts);
  const auto context = static_cast<std::size_t>(a.context);
  std::unique_ptr<completion_routes> writer;
  std::unique_ptr<embedding_routes> embedder;
  std::unique_ptr<attention_routes> attention;
  const auto show = [&](std::span<const name_rule> names, const tokenizer& words) {
    attention = std::make_unique<attention_routes>(
        server, attention_routes::of_model{network.attention, weights, names}, words, parts, context,
        a.threads);
  };
  if (network.writer != nullptr) {
    const auto rows = static_cast<std::int64_t>(a.rows);
    auto made = made_for_context(a, [&] {
      return network.writer(
          weights, {.capacity = {{"B", rows}, {"T", a.context}}, .threads = a.threads, .cache = a.cache});
    });
    tokenizer words = tokenizer_of(a, parts, made->vocabulary());
    chat_form chat = chat_form_of(a.chat, a, parts, words);
    show(made->names(), words);
    writer = std::make_unique<completion_routes>(
        server, std::move(made), std::move(words), parts,
        completion_routes::settings{context, a.rows, a.waiting, std::min(a.piece, context), std::move(chat)});
  } else {
    const std::int64_t rows = texts_of_a_call;
    auto made = made_for_context(a, [&] {
      return network.embedder(weights, {.capacity = {{"B", rows}, {"T", a.context}}, .threads = a.threads});
    });
    tokenizer words = tokenizer_of(a, parts);
    show(made->names(), words);
    embedder = std::make_unique<embedding_routes>(server, std::move(made), std::move(words), parts, context,
                                                  a.waiting);
  }
  add_common_routes(server, parts, network, [&] { return writer ? writer->metrics() : embedder->metrics(); });
  const int port = server.bind(a.host, a.port);
  signals.stop(&server);
  program::notice(parts.name, fmt::format("http://{}:{}/", a.host, port));
  try {
    server.run();
  } catch (...) {
    signals.stop(nullptr); // it is destroyed before the program ends
    throw;
  }
}

} // namespace

int serve(const served_network& network, const program_parts& parts, int count, char** words) {
  // One heap for the threads of all clients: of several, each would grow to the most that it ever held.
  ::mallopt(M_ARENA_MAX, 1);
  stopping_signals signals;
  return program::run<arguments>(
      parts.name.c_str(), "Answers over HTTP, by the routes of OpenAI's interface.", count, words,
      [&](CLI::App& app, arguments& a) {
        declare_model(app, a, parts);
        declare_texts(app, a, parts);
        declare_server(app, a, network);
      },
      [&](const arguments& a) {
        signals.wait(parts.name);
        run(a, network, parts, signals);
      });
}

} // namespace fovea::programs
