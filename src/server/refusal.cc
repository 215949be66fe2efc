// Writes refusals as JSON for scripts and as HTML for browsers.
#include "server/refusal.h"

#include <fmt/format.h>

#include "base/json_writer.h"

namespace stepscope::server {
namespace {

std::shared_ptr<const Body> ErrorBody(std::string_view member, const Error& error) {
  JsonWriter json;
  json.BeginObject();
  PutError(json, member, error);
  json.End();
  return MakeBody("application/json", std::move(json).Take() + "\n");
}

// Any bytes as text of an HTML page.
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

std::shared_ptr<const Body> ErrorPage(const Error& error) {
  return MakeBody("text/html; charset=utf-8",
                  fmt::format("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                              "<title>Stepscope</title><h1>{}</h1><p>{}</p><p>{}</p></html>\n",
                              Escaped(error.what), Escaped(error.where), Escaped(error.hint)));
}

}  // namespace

void PutError(JsonWriter& json, std::string_view member, const std::optional<Error>& error) {
  json.Key(member);
  if (!error) return json.Null();
  json.BeginObject(JsonWriter::Form::kOneLine);
  json.Text("what", error->what);
  json.Text("where", error->where);
  json.Text("hint", error->hint);
  json.End();
}

Response Refusal(const Request& request, int status, const Error& error) {
  // Browsers name HTML when a person opens an address; scripts accept anything.
  const bool wants_page = request.Accepts("accept", "text/html");
  return {.status = status,
          .headers = {{"Vary", "Accept"}},
          .body = wants_page ? ErrorPage(error) : ErrorBody("error", error)};
}

Response NotYet(const Error& why) {
  return {.status = kNotYet, .headers = {{"Retry-After", "1"}}, .body = ErrorBody("pending", why)};
}

}  // namespace stepscope::server
