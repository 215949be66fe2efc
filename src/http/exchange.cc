// Sends a request and parses the answer with Boost.Beast.
#include "http/exchange.h"

#include <fmt/format.h>

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <utility>

#include "http/boost.h"

namespace stepscope::http {
namespace {

using Parser = beast::http::response_parser<beast::http::string_body>;

Failure Read(Stream& stream, Parser& parser) {
  std::string bytes;  // not parsed yet
  std::array<char, 1 << 16> part;
  while (!parser.is_done()) {
    size_t got = 0;
    const Failure failure = stream.Receive(part, got);
    if (failure == Failure::kTimeout) return failure;
    ErrorCode unparsed;
    if (failure != Failure::kNone) {
      if (parser.got_some()) parser.put_eof(unparsed);
      return parser.is_done() && !unparsed ? Failure::kNone : Failure::kBroken;
    }
    bytes.append(part.data(), got);
    bytes.erase(0, parser.put(asio::buffer(bytes), unparsed));
    if (unparsed == beast::http::error::body_limit) return Failure::kTooLarge;
    if (unparsed && unparsed != beast::http::error::need_more) return Failure::kBroken;
  }
  return Failure::kNone;
}

}  // namespace

Reply Exchange(const Endpoint& to, const std::string& method, const std::string& target,
               const Limits& limits) {
  const bool local = to.host.starts_with('/');
  const std::string host = local ? "localhost" : fmt::format("{}:{}", to.host, to.port);
  const std::string request = fmt::format(
      "{} {} HTTP/1.1\r\nHost: {}\r\nUser-Agent: stepscope\r\nContent-Length: 0\r\n"
      "Connection: close\r\n\r\n",
      method, target, host);
  Stream stream(limits);
  if (const Failure failure = stream.Connect(to); failure != Failure::kNone)
    return {.body = {}, .failure = failure};
  if (const Failure failure = stream.Send(request); failure != Failure::kNone)
    return {.body = {}, .failure = failure};
  Parser parser;
  parser.eager(true);
  parser.body_limit(limits.most);
  if (const Failure failure = Read(stream, parser); failure != Failure::kNone)
    return {.body = {}, .failure = failure};
  auto& response = parser.get();
  return {.status = static_cast<int>(response.result_int()), .body = std::move(response.body())};
}

}  // namespace stepscope::http
