// Asks an HTTP server, with deadlines, and tells whether to retry.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "http/url.h"

namespace stepscope::http {

struct Answer {
  int status = 0;           // 0: there is none
  std::string body;         // or, without a status, what went wrong
  int64_t retry_after = 0;  // ns that the server asks to wait

  // Whether the same request may succeed later: no answer, too many requests, or a server's
  // failure.
  bool MayRetry() const {
    return status == 0 || status == 408 || status == 429 || status == 500 || status == 502 ||
           status == 503 || status == 504;
  }
};

struct Question {
  std::string method = "POST";
  std::string path;  // below the address
  std::string body, type;
  std::string authorization;  // instead of the token: "Basic ...", one line; empty: the token
  size_t most_answer = size_t{1} << 20;  // bytes that are read
  int64_t patience =
      10'000'000'000;  // ns for each: connecting, sending, and the pauses of the answer
};

// One connection, kept between questions and reopened when it broke. For one thread.
class Poster {
 public:
  // Sends `token`, unless empty, as "Authorization: Bearer".
  Poster(Address address, std::string token);
  ~Poster();
  Poster(const Poster&) = delete;
  Poster& operator=(const Poster&) = delete;

  // Posts to `path` below the address. Gives up when connecting, sending or the answer takes more
  // than 10 s each. Follows no redirects.
  Answer Post(const std::string& path, const std::string& body, const std::string& type);

  // Asks anything. An answer that is longer than the question allows is none.
  Answer Ask(const Question& question);

  // Ends what another thread waits for, and all later questions.
  void Stop();

  const Address& address() const { return address_; }

 private:
  struct Connection;
  Address address_;
  std::string token_;
  std::unique_ptr<Connection> connection_;
};

// Pauses between tries: each twice the last, up to `most`, less up to a random quarter, so that a
// thousand senders do not return at once.
class Backoff {
 public:
  Backoff(int64_t first, int64_t most);
  int64_t Next();
  void Reset() { next_ = first_; }

 private:
  int64_t first_, most_, next_;
  uint64_t random_;
};

}  // namespace stepscope::http
