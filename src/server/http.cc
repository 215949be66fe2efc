// Headers looked up, bodies packed, and what the other side already has.
#include "server/http.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <cctype>

#include "base/gzip.h"
#include "report/json_writer.h"

namespace stepscope::server {
namespace {

constexpr size_t kWorthPacking = 1024;  // bytes: below it gzip saves no packet

bool SameName(std::string_view lower, std::string_view any) {
  return std::ranges::equal(lower, any, {}, {},
                            [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
}

std::string TagOf(std::string_view bytes) {
  return fmt::format("W/\"{:016x}\"", XXH3_64bits(bytes.data(), bytes.size()));
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

// Calls on_item for each item of a list with commas until it says that it has seen enough.
template <class OnItem>
bool AnyItem(std::string_view list, const OnItem& on_item) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    if (on_item(Trimmed(list.substr(0, comma)))) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

bool TakesGzip(const Request& request) {
  return AnyItem(request.Header("accept-encoding"), [](std::string_view item) {
    const std::string_view name = Trimmed(item.substr(0, item.find(';')));
    const size_t quality = item.find("q=0");
    const bool refused =
        quality != item.npos && item.find_first_not_of("0.", quality + 2) == item.npos;
    return SameName("gzip", name) && !refused;
  });
}

bool HasAlready(const Request& request, std::string_view etag) {
  return AnyItem(request.Header("if-none-match"),
                 [&](std::string_view item) { return item == "*" || item == etag; });
}

std::shared_ptr<const Body> ErrorBody(std::string_view member, const Error& error) {
  JsonWriter json;
  json.BeginObject();
  json.Key(member);
  json.BeginObject(JsonWriter::Form::kOneLine);
  for (const auto& [key, value] :
       {std::pair("what", &error.what), {"where", &error.where}, {"hint", &error.hint}}) {
    json.Key(key);
    json.String(*value);
  }
  json.End();
  json.End();
  return MakeBody("application/json", std::move(json).Take() + "\n");
}

// Text of a page, whatever it holds.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<' || c == '>' || c == '&' || c == '"')
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += c;
  }
  return out;
}

// What a browser shows that was told to open an address; scripts ask for anything.
bool WantsPage(const Request& request) {
  return AnyItem(request.Header("accept"), [](std::string_view item) {
    return SameName("text/html", Trimmed(item.substr(0, item.find(';'))));
  });
}

std::shared_ptr<const Body> ErrorPage(const Error& error) {
  return MakeBody("text/html; charset=utf-8",
                  fmt::format("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                              "<title>Stepscope</title><h1>{}</h1><p>{}</p><p>{}</p></html>\n",
                              Escaped(error.what), Escaped(error.where), Escaped(error.hint)));
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

Response Refusal(int status, const Error& error) {
  return {.status = status, .headers = {}, .body = ErrorBody("error", error), .refused = error};
}

Response NotYet(const Error& why) {
  return {.status = kNotYet, .headers = {{"Retry-After", "1"}}, .body = ErrorBody("pending", why)};
}

Response Negotiate(const Request& request, Response response) {
  if (response.body == nullptr) return response;
  if (response.refused && WantsPage(request)) response.body = ErrorPage(*response.refused);
  response.headers.emplace_back("Vary",
                                response.refused ? "Accept, Accept-Encoding" : "Accept-Encoding");
  if (response.status == 200) {
    response.headers.emplace_back("ETag", response.body->etag);
    if (HasAlready(request, response.body->etag)) {
      response.status = 304;
      response.body = nullptr;
      return response;
    }
  }
  if (!response.body->gzip) return response;
  if (TakesGzip(request)) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    return response;
  }
  auto plain = Gunzip(response.body->bytes);
  if (!plain) return Refusal(500, plain.error());
  response.body = std::make_shared<const Body>(
      Body{.type = response.body->type, .bytes = std::move(*plain), .etag = response.body->etag});
  return response;
}

}  // namespace stepscope::server
