// Declares the arguments of a tool once: for its JSON schema, and to check what a call brings.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/message.h"
#include "stepscope/result.h"

namespace stepscope::mcp {

struct Argument {
  enum class Type : uint8_t { kText, kTexts, kWhole, kWholes };
  std::string_view name;
  std::string_view about;
  Type type = Type::kText;
  bool required = false;
  int64_t low = 0, high = INT64_MAX;  // of whole numbers
  int64_t preset = 0;                 // of kWhole
};

// JSON Schema of an object with these members and no others.
Json SchemaOf(std::span<const Argument> arguments);

// The arguments of one call, checked.
class Given {
 public:
  // Fails on a name that the tool does not have, a wrong type, a number out of its range, and where
  // a required one is missing. A single value stands for a list of one; null, for none.
  static Result<Given> Read(std::span<const Argument> arguments, const Json& given);

  std::string Text(std::string_view name) const;  // empty: not given
  std::vector<std::string> Texts(std::string_view name) const;
  int64_t Whole(std::string_view name) const;
  std::vector<int64_t> Wholes(std::string_view name) const;

 private:
  Json values_ = Json::object();
};

}  // namespace stepscope::mcp
