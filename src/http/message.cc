// Looks up headers, compresses bodies, and compares ETags.
#include "http/message.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
#include "base/gzip.h"

namespace stepscope::http {
namespace {

constexpr size_t kWorthPacking = 1024;  // bytes: below it gzip saves no packet

bool SameName(std::string_view lower, std::string_view any) {
  return std::ranges::equal(lower, any, {}, {},
                            [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

std::string TagOf(std::string_view bytes) {
  return fmt::format("W/\"{:016x}\"", XXH3_64bits(bytes.data(), bytes.size()));
}

// Whether `matches` is true for an item of a list with commas.
template <class Matches>
bool AnyItem(std::string_view list, const Matches& matches) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (matches(Trimmed(list.substr(0, comma)))) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

std::string_view Request::Header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (SameName(name, key)) return value;
  }
  return {};
}

bool Request::HasHeader(std::string_view name) const {
  return std::ranges::any_of(headers, [&](const auto& h) { return SameName(name, h.first); });
}

std::string_view Request::Path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

bool Request::Accepts(std::string_view header, std::string_view item) const {
  return AnyItem(Header(header), [&](std::string_view one) {
    const size_t quality = one.find("q=0");
    const bool refused =
        quality != one.npos && one.find_first_not_of("0.", quality + 2) == one.npos;
    return SameName(item, Trimmed(one.substr(0, one.find(';')))) && !refused;
  });
}

std::shared_ptr<const Body> MakeBody(std::string type, std::string bytes) {
  Body body{.type = std::move(type), .bytes = {}, .etag = TagOf(bytes)};
  body.gzip = bytes.size() >= kWorthPacking;
  body.bytes = body.gzip ? Gzip(bytes) : std::move(bytes);
  return std::make_shared<const Body>(std::move(body));
}

std::shared_ptr<const Body> GzipBody(std::string type, std::string_view gzip) {
  return std::make_shared<const Body>(
      Body{.type = std::move(type), .bytes = std::string(gzip), .etag = TagOf(gzip), .gzip = true});
}

Response PlainText(int status, std::string_view line) {
  return {
      .status = status, .headers = {}, .body = MakeBody("text/plain", std::string(line) + "\n")};
}

Response Negotiate(const Request& request, Response response) {
  if (response.body == nullptr) return response;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (response.status == 200) {
    const std::string& etag = response.body->etag;
    response.headers.emplace_back("ETag", etag);
    if (AnyItem(request.Header("if-none-match"),
                [&](std::string_view item) { return item == "*" || item == etag; })) {
      response.status = 304;
      response.body = nullptr;
      return response;
    }
  }
  if (!response.body->gzip) return response;
  if (request.Accepts("accept-encoding", "gzip")) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    return response;
  }
  auto plain = Gunzip(response.body->bytes);
  if (!plain) return PlainText(500, plain.error().what);
  response.body = std::make_shared<const Body>(
      Body{.type = response.body->type, .bytes = std::move(*plain), .etag = response.body->etag});
  return response;
}

}  // namespace stepscope::http
