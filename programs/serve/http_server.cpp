#include <fovea/programs/serve/http_server.hpp>

#include <fovea/base/error.hpp>
#include <fovea/base/utf8.hpp>
#include <fovea/programs/serve/connection_threads.hpp>
#include <fovea/programs/serve/request.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <chrono>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace fovea::programs {
namespace {

using json = nlohmann::ordered_json;

/// Of a status without a sentence of its own.
std::string problem_of(int status, const http_server::request& from, const server_limits& limits) {
  switch (status) {
    case 404:
      return "there is nothing at " + from.path;
    case 413:
      return fmt::format("the body is too long; expected at most {} bytes", limits.body_bytes);
    case 414:
      return "the address is too long";
    default:
      return "the request cannot be read";
  }
}

/// The body, whatever type it is said to have; nothing where it is longer than `most`, which is a status of its own, or
/// cannot be read. All of it is read before a request is refused: what is left would be taken for the next request.
std::optional<std::string> body_of(const http_server::request& from, http_server::response& to,
                                   const httplib::ContentReader& read, std::size_t most) {
  // The library would take a form apart and leave the rest of one that is none, unpack what is packed, and pass over what
  // comes with DELETE.
  auto& own = const_cast<http_server::request&>(from);
  own.headers.erase("Content-Type"), own.headers.erase("Content-Encoding");
  const std::string method = std::exchange(own.method, "POST");
  std::string body;
  std::size_t size = 0;
  const bool whole = read([&](const char* piece, std::size_t count) {
    size += count;
    if (size <= most) body.append(piece, count);
    return true;
  });
  own.method = method;
  if (size > most) to.status = 413;
  return whole && size <= most ? std::optional(std::move(body)) : std::nullopt;
}

/// Reads what a request has that is refused, and keeps nothing.
void pass_over(const http_server::request& from, http_server::response& to,
               const httplib::ContentReader& read) {
  if (from.has_header("Content-Length") || from.has_header("Transfer-Encoding")) body_of(from, to, read, 0);
}

/// Of methods whose requests have a body.
bool may_have_body(const std::string& method) {
  return method == "POST" || method == "PUT" || method == "PATCH" || method == "DELETE";
}

void refuse_method(const http_server::request& from, http_server::response& to, const std::string& known) {
  to.set_header("Allow", known);
  http_server::refuse(to, 405, fmt::format("{}: expected {}; found {}", from.path, known, from.method));
}

} // namespace

http_server::http_server(const server_limits& limits) : limits_(limits) {
  server_.new_task_queue = [threads = limits.connections] { return new connection_threads(threads); };
  server_.set_payload_max_length(limits.body_bytes);
  server_.set_tcp_nodelay(true);
  server_.set_socket_options([](socket_t socket) { // a port has one server
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server_.set_keep_alive_max_count(100);
  server_.set_read_timeout(std::chrono::seconds(10));
  server_.set_write_timeout(std::chrono::seconds(10));
  server_.set_pre_routing_handler([this](const request& from, response& to) {
    const auto known = methods_.find(from.path);
    const bool fits = known == methods_.end() || from.method == known->second || may_have_body(from.method) ||
                      (from.method == "HEAD" && known->second == "GET");
    if (fits) return httplib::Server::HandlerResponse::Unhandled;
    refuse_method(from, to, known->second);
    return httplib::Server::HandlerResponse::Handled;
  });
  server_.set_error_handler([this](const request& from, response& to) {
    if (to.body.empty()) refuse(to, to.status, problem_of(to.status, from, limits_));
  });
  server_.set_post_routing_handler([this](const request& from, const response& to) { // before it is sent
    const std::lock_guard lock(mutex_);
    ++counts_[{methods_.contains(from.path) ? from.path : "other", to.status}];
  });
}

void http_server::guarded(response& to, const std::function<void()>& answer) {
  try {
    const std::shared_ptr<void> begun = answering();
    answer();
  } catch (const refused_request& problem) {
    if (problem.status() == 503) to.set_header("Retry-After", "1");
    refuse(to, problem.status(), problem.what());
  } catch (const std::exception& problem) {
    refuse(to, 500, problem.what());
  }
}

void http_server::refuse_other_methods(const std::string& path, const char* known) {
  methods_[path] = known;
  const httplib::Server::HandlerWithContentReader refused = [known](const request& from, response& to,
                                                                    const httplib::ContentReader& read) {
    pass_over(from, to, read);
    refuse_method(from, to, known);
  };
  answer_bodies(path, refused); // behind an answer to it
}

void http_server::answer_bodies(const std::string& path,
                                const httplib::Server::HandlerWithContentReader& answer) {
  server_.Post(path, answer);
  server_.Put(path, answer);
  server_.Patch(path, answer);
  server_.Delete(path, answer);
}

void http_server::get(const std::string& path, std::function<void(response&)> answer) {
  server_.Get(path, [this, answer = std::move(answer)](const request&, response& to) {
    guarded(to, [&] { answer(to); });
  });
  refuse_other_methods(path, "GET");
}

void http_server::post(const std::string& path, std::function<void(const std::string&, response&)> answer) {
  server_.Post(path, [this, answer = std::move(answer)](const request& from, response& to,
                                                        const httplib::ContentReader& read) {
    const bool is_form = from.is_multipart_form_data(), is_packed = from.has_header("Content-Encoding");
    const std::optional<std::string> body = body_of(from, to, read, limits_.body_bytes);
    guarded(to, [&] {
      if (is_form) throw refused_request(415, "expected JSON; found a form of several parts");
      if (is_packed)
        throw refused_request(415, "expected JSON as it is; found it packed, by a Content-Encoding");
      if (!body) throw refused_request(to.status == 413 ? 413 : 400, problem_of(to.status, from, limits_));
      answer(*body, to);
    });
  });
  refuse_other_methods(path, "POST");
}

int http_server::bind(const std::string& host, int port) {
  errno = 0;
  const int bound = port == 0 ? server_.bind_to_any_port(host) : server_.bind_to_port(host, port) ? port : -1;
  if (bound < 0)
    throw error(fmt::format("cannot listen at {}:{}: {}", host, port,
                            errno == 0 ? "there is no such host" : std::generic_category().message(errno)));
  server_.let_wait(1024);
  return bound;
}

std::shared_ptr<void> http_server::answering() {
  const std::lock_guard lock(mutex_);
  if (finishing_) throw refused_request(503, "the server is ending");
  ++answering_;
  return {this, [](http_server* server) {
            const std::lock_guard again(server->mutex_);
            --server->answering_;
            server->idle_.notify_all();
          }};
}

void http_server::finish() {
  {
    std::unique_lock lock(mutex_);
    finishing_ = true;
    idle_.wait(lock, [&] { return answering_ == 0; });
  }
  while (!server_.is_running() && !has_run_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  server_.stop(); // which one that is yet to run would not hear
}

void http_server::run() {
  // Behind all routes: what the library itself refuses it may leave unread.
  answer_bodies(".*", [this](const request& from, response& to, const httplib::ContentReader& read) {
    pass_over(from, to, read);
    refuse(to, 404, problem_of(404, from, limits_));
  });
  const bool was_stopped = server_.listen_after_bind();
  has_run_ = true;
  if (!was_stopped) throw error("no client can come any more: the system gives no more connections");
}

std::string http_server::metrics() const {
  std::string text = "# HELP fovea_requests_total Requests answered.\n# TYPE fovea_requests_total counter\n";
  const std::lock_guard lock(mutex_);
  for (const auto& [key, count] : counts_)
    text +=
        fmt::format("fovea_requests_total{{path=\"{}\",status=\"{}\"}} {}\n", key.first, key.second, count);
  return text;
}

void http_server::answer_json(response& to, const json& value, int status) {
  to.status = status;
  to.set_content(value.dump(-1, ' ', false, json::error_handler_t::replace), "application/json");
}

void http_server::refuse(response& to, int status, const std::string& problem) {
  const char* type = status < 500 ? "invalid_request_error" : "server_error";
  answer_json(
      to, {{"error", {{"message", core::utf8_or_replacement(problem)}, {"type", type}, {"code", status}}}},
      status);
}

} // namespace fovea::programs
