// What is asked over HTTP and what is answered, as values: all but http_server.cc knows no more of
// it.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::server {

// Whether the one who asked is no longer there, so that answering is of no use.
using Gone = std::function<bool()>;

struct Request {
  std::string method;
  std::string target;  // as it came: path, '?', query
  std::vector<std::pair<std::string, std::string>> headers;
  // From any thread, as long as the answer is being made.
  Gone gone = [] { return false; };

  // The value of the first header of this name, which must be in lower case here; empty: none.
  std::string_view Header(std::string_view name) const;
  bool HasHeader(std::string_view name) const;
};

// Bytes that may be answered many times. Immutable once made.
struct Body {
  std::string type;   // "application/json"
  std::string bytes;  // gzip, if `gzip`
  std::string etag;   // of what they say, however it is packed
  bool gzip = false;
};

// A body of these bytes, compressed where that pays.
std::shared_ptr<const Body> MakeBody(std::string type, std::string bytes);

// A body from bytes that are gzip already.
std::shared_ptr<const Body> GzipBody(std::string type, std::string_view gzip);

struct Response {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<const Body> body;  // may be null
  std::optional<Error> refused;      // why, of a refusal
};

// Why there is no answer, and the status that says so.
struct Failure {
  int status = 500;
  Error error;
};

template <class T>
using Attempt = std::expected<T, Failure>;

// The answer that nobody gets: see Gone.
inline const Failure kNobodyThere{499, {"who asked is gone", "", ""}};

// {"error": {"what", "where", "hint"}}
Response Refusal(int status, const Error& error);

// The status of what is no failure: it is being made ready, and who asks again gets it.
inline constexpr int kNotYet = 202;

// {"pending": {"what", "where", "hint"}}, to be asked for again.
Response NotYet(const Error& why);

// What is sent for `response` to who asked this: 304 without a body where they have it already, the
// bytes unpacked where they do not take gzip, a refusal as a page where a browser shows it.
Response Negotiate(const Request& request, Response response);

}  // namespace stepscope::server
