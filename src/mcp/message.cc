// Reads and writes messages of JSON-RPC 2.0.
#include "mcp/message.h"

#include <fmt/format.h>

#include <utility>

namespace stepscope::mcp {
namespace {

constexpr int kMostDepth = 64;

// Deeper values would exhaust the stack where they are copied.
bool IsTooDeep(std::string_view line) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text) {
      if (c == '\\') ++i;
      if (c == '"') in_text = false;
      continue;
    }
    if (c == '"') in_text = true;
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kMostDepth) return true;
  }
  return false;
}

std::unexpected<Refused> Refuse(int code, std::string message, Json id = {}) {
  return std::unexpected(
      Refused{.id = std::move(id), .failed = {.code = code, .message = std::move(message)}});
}

bool IsId(const Json& id) { return id.is_string() || id.is_number_integer(); }

// Text that comes from outside may not be UTF-8.
std::string LineOf(const Json& message) {
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::expected<Message, Refused> ReadMessage(std::string_view line) {
  if (IsTooDeep(line)) return Refuse(kParseError, "the JSON is nested too deeply");
  const Json read = Json::parse(line, nullptr, false);
  if (read.is_discarded()) return Refuse(kParseError, "this line is not valid JSON");
  if (read.is_array())
    return Refuse(kInvalidRequest, "batches are not supported: send one message a line");
  if (!read.is_object()) return Refuse(kInvalidRequest, "a message is a JSON object");
  Message message;
  const bool has_id = read.contains("id"), has_method = read.contains("method");
  const Json& id = MemberOf(read, "id");
  if (!has_method && (read.contains("result") || read.contains("error"))) {
    message.kind = Message::Kind::kResponse;
    return message;
  }
  if (has_id && !IsId(id))
    return Refuse(kInvalidRequest, "the id of a request is a string or a whole number");
  if (!MemberOf(read, "method").is_string())
    return Refuse(kInvalidRequest, "a message has a method", id);
  if (has_id && MemberOf(read, "jsonrpc") != "2.0")
    return Refuse(kInvalidRequest, R"(a message has "jsonrpc": "2.0")", id);
  message.kind = has_id ? Message::Kind::kRequest : Message::Kind::kNotification;
  message.id = id;
  message.method = TextOf(MemberOf(read, "method"));
  if (!read.contains("params")) return message;
  message.params = MemberOf(read, "params");
  if (!message.params.is_object() && has_id)
    return Refuse(kInvalidParams, "the parameters of a request are an object", id);
  return message;
}

std::string ResultLine(const Json& id, Json result) {
  return LineOf({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

std::string ErrorLine(const Json& id, const Failed& failed) {
  Json error = {{"code", failed.code}, {"message", failed.message}};
  if (!failed.data.is_null()) error["data"] = failed.data;
  return LineOf({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
}

std::string NotificationLine(std::string_view method, Json params) {
  return LineOf({{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

const Json& MemberOf(const Json& object, std::string_view key) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto at = object.find(key);
  return at == object.end() ? kNothing : *at;
}

std::string TextOf(const Json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  return text == nullptr ? std::string() : *text;
}

}  // namespace stepscope::mcp
