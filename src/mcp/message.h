// Reads and writes messages of JSON-RPC 2.0, one a line, as the Model Context Protocol restricts
// them: no batches, parameters are objects, ids are strings or whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace stepscope::mcp {

using Json = nlohmann::json;

// Codes of JSON-RPC, and the one of the protocol that this server needs.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kUnsupportedVersion = -32022;

// A longer line is refused without being kept.
inline constexpr size_t kMostLineBytes = size_t{1} << 20;

struct Failed {
  int code = kInternalError;
  std::string message;
  Json data = {};  // null: none
};

struct Message {
  enum class Kind : uint8_t { kRequest, kNotification, kResponse };
  Kind kind = Kind::kNotification;
  Json id = {};  // of a request: a string or a whole number
  std::string method;
  Json params = Json::object();
};

// What is wrong with a line, and the id to answer to; null where none can be read.
struct Refused {
  Json id = {};
  Failed failed;
};

// A message without `id` is a notification, however wrong it is otherwise: it gets no answer. So
// does a response, since this server asks nothing.
std::expected<Message, Refused> ReadMessage(std::string_view line);

// Lines without the line end.
std::string ResultLine(const Json& id, Json result);
std::string ErrorLine(const Json& id, const Failed& failed);
std::string NotificationLine(std::string_view method, Json params);

// The member of an object; null where there is none, or `object` is no object.
const Json& MemberOf(const Json& object, std::string_view key);

// The text; empty where it is none.
std::string TextOf(const Json& value);

}  // namespace stepscope::mcp
