// Fuzzes what servers decide by the head of a request: its target, its numbers and lists, whether
// its Host names us, and what a client accepts. The first line is the target, the second the Host,
// the others are further headers; behind an empty line is what the answer holds.
#include <algorithm>
#include <string>
#include <string_view>

#include "http/gate.h"
#include "http/url.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace stepscope::http::request_fuzz {
namespace {

void ReadTarget(std::string_view target) {
  constexpr size_t kMost = 100;
  if (const auto url = ParseUrl(target)) {
    Require(url->path.size() <= 64);
    for (const auto& [name, value] : url->query) {
      const auto number = url->Integer(name, -5, 5);
      Require(!number || (*number >= -5 && *number <= 5));
      if (const auto numbers = url->Numbers(name, kMost)) {
        Require(numbers->size() <= kMost && std::ranges::is_sorted(*numbers));
      }
      url->List(name);
    }
  }
  if (const auto address = ParseAddress(target)) {
    Require(!address->host.empty() && address->port > 0 && address->port < 65536);
  }
}

std::string_view TakeLine(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

void Fuzz(std::string_view bytes) {
  Request request;
  request.target = TakeLine(bytes);
  ReadTarget(request.target);
  if (bytes.empty()) return;
  request.headers = {{"Host", std::string(TakeLine(bytes))}};
  for (std::string_view line = TakeLine(bytes); !line.empty(); line = TakeLine(bytes)) {
    const size_t colon = std::min(line.find(':'), line.size());
    request.headers.emplace_back(line.substr(0, colon),
                                 line.substr(std::min(colon + 1, line.size())));
  }
  static const Gate loopback("127.0.0.1", 80), any("0.0.0.0", 80, {"proxy.example"});
  loopback.NamesUs(request);
  any.NamesUs(request);
  Gate::FromOtherSite(request);
  request.Accepts("accept-encoding", "gzip");
  const Response response = Negotiate(
      request, {.status = 200, .headers = {}, .body = MakeBody("text/plain", std::string(bytes))});
  Require(response.status == 304 || (response.status == 200 && response.body != nullptr));
}

const fuzz::Register kTarget({.name = "request", .run = &Fuzz, .form = fuzz::Form::kLines});

}  // namespace
}  // namespace stepscope::http::request_fuzz
