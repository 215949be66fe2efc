// Fuzzes what both servers decide by the head of a request: its target, its numbers and lists, and
// whether its Host names us. The first line is the target, the second the Host.
#include <cstdint>
#include <string>
#include <string_view>

#include "http/gate.h"
#include "http/url.h"
#include "tests/fuzz/require.h"

namespace stepscope::http {
namespace {

void Fuzz(std::string_view bytes) {
  constexpr size_t kMost = 100;
  const size_t end = bytes.find('\n');
  const std::string_view target = bytes.substr(0, end);
  if (const auto url = ParseUrl(target)) {
    Require(url->path.size() <= 64);
    for (const auto& [name, value] : url->query) {
      const auto number = url->Integer(name, -5, 5);
      Require(!number || (*number >= -5 && *number <= 5));
      if (const auto numbers = url->Numbers(name, kMost)) Require(numbers->size() <= kMost);
      url->List(name);
    }
  }
  if (const auto address = ParseAddress(target)) Require(!address->host.empty());
  if (end == std::string_view::npos) return;
  const std::string host(bytes.substr(end + 1));
  Request request;
  request.target = target;
  request.headers = {{"Host", host}};
  static const Gate loopback("127.0.0.1", 80), any("0.0.0.0", 80, {"proxy.example"});
  loopback.NamesUs(request);
  any.NamesUs(request);
  Gate::FromOtherSite(request);
}

}  // namespace
}  // namespace stepscope::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stepscope::http::Fuzz({reinterpret_cast<const char*>(data), size});
  return 0;
}
