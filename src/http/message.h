// Defines HTTP requests and responses as values.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope::http {

// Returns whether the client has closed the connection, so that nobody will read the answer, or the
// server is ending.
using Gone = std::function<bool()>;

using Headers = std::vector<std::pair<std::string, std::string>>;

struct Request {
  std::string method;     // "GET"
  std::string target;     // path and query, as sent
  Headers headers;        // names in the sender's case
  bool has_body = false;  // the client sends one, even an empty chunked one
  std::string body;       // as sent; still empty while the head alone is checked
  // Safe from any thread until the handler returns.
  Gone gone = [] { return false; };

  // The first value of this header, or empty. REQUIRES: `name` is in lower case.
  std::string_view Header(std::string_view name) const;
  bool HasHeader(std::string_view name) const;
  // The target without its query.
  std::string_view Path() const;
  // Whether a header that is a list with commas holds this item, in any case, whatever its
  // parameters. "q=0" excludes it. REQUIRES: both are in lower case.
  bool Accepts(std::string_view header, std::string_view item) const;
};

// An immutable body, which can be sent any number of times.
struct Body {
  std::string type;   // "application/json"
  std::string bytes;  // gzip, if `gzip`
  std::string etag;   // of the content, whether compressed or not
  bool gzip = false;
};

// Compresses the bytes where that saves packets.
std::shared_ptr<const Body> MakeBody(std::string type, std::string bytes);

// A body of bytes that are gzip already.
std::shared_ptr<const Body> GzipBody(std::string type, std::string_view gzip);

struct Response {
  int status = 200;
  Headers headers;
  std::shared_ptr<const Body> body;  // may be null
};

// A response of one line of text.
Response PlainText(int status, std::string_view line);

// Fits a response to its request: 304 without a body if the client has this content, decompressed
// bytes if it does not accept gzip.
Response Negotiate(const Request& request, Response response);

}  // namespace stepscope::http
