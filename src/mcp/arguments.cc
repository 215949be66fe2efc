// Writes schemas and checks arguments.
#include "mcp/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/nearest_name.h"
#include "mcp/say.h"

namespace stepscope::mcp {
namespace {

using Type = Argument::Type;

constexpr size_t kMostValues = 1000;       // of a list
constexpr size_t kMostTextBytes = 10'000;  // of a text

bool IsList(Type type) { return type == Type::kTexts || type == Type::kWholes; }
bool IsNumber(Type type) { return type == Type::kWhole || type == Type::kWholes; }

// Of one value, or of each in a list.
Json SchemaOfValue(const Argument& argument) {
  if (!IsNumber(argument.type)) return {{"type", "string"}};
  Json schema = {{"type", "integer"}, {"minimum", argument.low}};
  if (argument.high != INT64_MAX) schema["maximum"] = argument.high;
  return schema;
}

Json SchemaOfArgument(const Argument& argument) {
  Json schema = SchemaOfValue(argument);
  if (IsList(argument.type)) schema = {{"type", "array"}, {"items", std::move(schema)}};
  if (argument.type == Type::kWhole) schema["default"] = argument.preset;
  schema["description"] = argument.about;
  return schema;
}

std::string_view SayType(Type type) {
  switch (type) {
    case Type::kText:
      return "a text";
    case Type::kTexts:
      return "a list of texts";
    case Type::kWhole:
      return "a whole number";
    case Type::kWholes:
      return "a list of whole numbers";
  }
  return "";
}

std::unexpected<Error> Wrong(const Argument& argument, std::string what) {
  return std::unexpected(
      Error{std::move(what), std::string(argument.name), std::string(argument.about)});
}

Result<void> CheckValue(const Argument& argument, const Json& value) {
  const auto* text = value.get_ptr<const std::string*>();
  const bool fits = IsNumber(argument.type) ? value.is_number_integer() : text != nullptr;
  if (!fits) return Wrong(argument, fmt::format("this argument is {}", SayType(argument.type)));
  if (text != nullptr && text->size() > kMostTextBytes)
    return Wrong(argument, "this argument is too long");
  if (text != nullptr) return {};
  const bool too_large = value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX;
  if (too_large || value.get<int64_t>() < argument.low || value.get<int64_t>() > argument.high)
    return Wrong(argument,
                 argument.high == INT64_MAX
                     ? fmt::format("this argument is at least {}", argument.low)
                     : fmt::format("this argument is from {} to {}", argument.low, argument.high));
  return {};
}

// The value to keep.
Result<Json> CheckedValue(const Argument& argument, const Json& given) {
  Json value = IsList(argument.type) && !given.is_array() ? Json::array({given}) : given;
  if (!IsList(argument.type)) {
    if (const auto checked = CheckValue(argument, value); !checked)
      return std::unexpected(checked.error());
    return value;
  }
  if (value.size() > kMostValues) return Wrong(argument, "this list is too long");
  for (const Json& each : value) {
    if (const auto checked = CheckValue(argument, each); !checked)
      return std::unexpected(checked.error());
  }
  return value;
}

Error NoArgument(std::span<const Argument> arguments, const std::string& name) {
  std::vector<std::string> known;
  std::string all;
  for (const Argument& argument : arguments) {
    known.emplace_back(argument.name);
    all += (all.empty() ? "" : ", ") + known.back();
  }
  const std::string nearest = NearestName(name, known);
  return {"the tool has no argument", name,
          nearest.empty() ? "its arguments are " + all : "did you mean '" + nearest + "'?"};
}

}  // namespace

Json SchemaOf(std::span<const Argument> arguments) {
  Json properties = Json::object(), required = Json::array();
  for (const Argument& argument : arguments) {
    properties[std::string(argument.name)] = SchemaOfArgument(argument);
    if (argument.required) required.push_back(argument.name);
  }
  Json schema = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

Result<Given> Given::Read(std::span<const Argument> arguments, const Json& given) {
  Given read;
  for (const Argument& argument : arguments) {
    if (argument.type == Type::kWhole) read.values_[std::string(argument.name)] = argument.preset;
  }
  for (const auto& [name, value] : given.items()) {
    const auto argument = std::ranges::find(arguments, name, &Argument::name);
    if (argument == arguments.end()) return std::unexpected(NoArgument(arguments, name));
    if (value.is_null()) continue;
    auto checked = CheckedValue(*argument, value);
    if (!checked) return std::unexpected(checked.error());
    read.values_[name] = *std::move(checked);
  }
  for (const Argument& argument : arguments) {
    if (argument.required && !read.values_.contains(argument.name))
      return Wrong(argument, "a required argument is missing");
  }
  return read;
}

std::string Given::Text(std::string_view name) const { return TextOf(MemberOf(values_, name)); }

std::vector<std::string> Given::Texts(std::string_view name) const {
  std::vector<std::string> texts;
  const Json& values = MemberOf(values_, name);
  if (!values.is_array()) return texts;
  for (const Json& value : values) texts.push_back(TextOf(value));
  return texts;
}

int64_t Given::Whole(std::string_view name) const {
  const Json& value = MemberOf(values_, name);
  return value.is_number_integer() ? value.get<int64_t>() : 0;
}

std::vector<int64_t> Given::Wholes(std::string_view name) const {
  std::vector<int64_t> wholes;
  const Json& values = MemberOf(values_, name);
  if (!values.is_array()) return wholes;
  for (const Json& value : values) wholes.push_back(value.get<int64_t>());
  return wholes;
}

}  // namespace stepscope::mcp
