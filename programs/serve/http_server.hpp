#pragma once

#include <httplib.h>
#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace fovea::programs {

/// What a server bears.
struct server_limits {
  std::size_t body_bytes;
  std::size_t connections;   // at once
  std::chrono::seconds time; // for one answer
};

/// Routes over HTTP. Whatever is refused is an object of JSON with a sentence; requests are counted.
class http_server {
public:
  using request = httplib::Request;
  using response = httplib::Response;

  explicit http_server(const server_limits& limits);

  void get(const std::string& path, std::function<void(response&)> answer);
  /// `answer` is given the body, whatever type it is said to have.
  void post(const std::string& path, std::function<void(const std::string&, response&)> answer);

  /// Listens; port 0 is any that is free. Returns the port. Throws fovea::error where it cannot.
  int bind(const std::string& host, int port);
  /// Answers until finish() returns on another thread. Throws fovea::error where no client can come any more.
  void run();
  /// Begins no more answers, and waits for those that have begun.
  void finish();

  /// An answer is on its way as long as this is kept.
  std::shared_ptr<void> answering();

  const server_limits& limits() const { return limits_; }
  /// Answers so far, by path and status, as Prometheus reads them.
  std::string metrics() const;

  static void answer_json(response& to, const nlohmann::ordered_json& value, int status = 200);
  static void refuse(response& to, int status, const std::string& problem);

private:
  /// Clients may come all at once: more of them wait to be heard than the library has a place for.
  class listening_server : public httplib::Server {
  public:
    void let_wait(int clients) { ::listen(svr_sock_, clients); }
  };

  void guarded(response& to, const std::function<void()>& answer);
  void refuse_other_methods(const std::string& path, const char* known);
  void answer_bodies(const std::string& path, const httplib::Server::HandlerWithContentReader& answer);

  server_limits limits_;
  listening_server server_;
  std::map<std::string, std::string> methods_; // of each path
  mutable std::mutex mutex_;                   // of what follows
  std::map<std::pair<std::string, int>, std::size_t> counts_;
  std::condition_variable idle_;
  std::size_t answering_ = 0;
  bool finishing_ = false;
  std::atomic<bool> has_run_ = false;
};

} // namespace fovea::programs
