// Posts to a server over HTTP: what sending events and pushing metrics have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "stepscope/result.h"

namespace stepscope::goodput {

struct HttpAddress {
  bool tls = false;
  std::string host;
  int port = 80;
  std::string path;  // "" or "/..."

  std::string Origin() const;  // "http://host:port"
  std::string Text() const { return Origin() + path; }
};

// Reads "http://host[:port][/path]", or https; an IPv6 host stands in brackets. Fails on anything
// else.
Result<HttpAddress> ParseHttpAddress(std::string_view text);

struct HttpAnswer {
  int status = 0;           // 0: none came
  std::string body;         // or, where none came, what went wrong
  int64_t retry_after = 0;  // ns that the server wants to be left alone for

  // Whether the same request may fare better later: no answer, too many, or a server in trouble.
  bool MayRetry() const {
    return status == 0 || status == 408 || status == 429 || status == 502 || status == 503 ||
           status == 504 || status == 500;
  }
};

// One connection, kept between posts and made anew when it broke. For one thread.
class HttpPoster {
 public:
  HttpPoster(HttpAddress address, const std::string& token);
  ~HttpPoster();
  HttpPoster(const HttpPoster&) = delete;
  HttpPoster& operator=(const HttpPoster&) = delete;

  // Takes some 10 s to see that nobody answers.
  HttpAnswer Post(const std::string& path, const std::string& body, const char* type);

  // Ends a post that another thread waits for.
  void Stop();

  const HttpAddress& address() const { return address_; }

 private:
  struct Client;
  HttpAddress address_;
  std::unique_ptr<Client> client_;
};

// How long to wait between tries: twice as long each time, up to `most`, and by chance up to a
// quarter less, so that a thousand senders do not come back at once.
class Backoff {
 public:
  Backoff(int64_t first, int64_t most);
  int64_t Next();
  void Reset() { next_ = first_; }

 private:
  int64_t first_, most_, next_;
  uint64_t chance_;
};

}  // namespace stepscope::goodput
