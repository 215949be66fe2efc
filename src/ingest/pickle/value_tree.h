// Holds values as Python and JSON have them: nothing, booleans, numbers, texts, lists, dicts.
//
// Texts are interned: equal ones have one id. Values may refer to one another in circles, as a
// pickle can say; who walks a tree bounds its own depth.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/string_table.h"

namespace stepscope {

struct Value {
  enum class Kind : uint8_t { kNone, kBool, kInt, kFloat, kText, kList, kDict };
  Kind kind = Kind::kNone;
  int64_t bits = 0;  // a number, the id of a text, or the place of a container

  static Value Real(double real) { return {Kind::kFloat, std::bit_cast<int64_t>(real)}; }
};

class ValueTree {
 public:
  Value Text(std::string_view text) { return {Value::Kind::kText, texts_.Intern(text)}; }
  Value NewList() { return NewContainer(Value::Kind::kList); }
  Value NewDict() { return NewContainer(Value::Kind::kDict); }
  // REQUIRES: `container` is a list or a dict, whose items are keys and values in turn.
  std::vector<Value>& ItemsOf(Value container) {
    return containers_[static_cast<size_t>(container.bits)];
  }

  // Items of a list; none of anything else.
  std::span<const Value> List(Value value) const { return Of(value, Value::Kind::kList); }
  // Keys and values of a dict in turn; none of anything else.
  std::span<const Value> Dict(Value value) const { return Of(value, Value::Kind::kDict); }
  // The text; empty of anything else.
  std::string_view TextOf(Value value) const {
    return value.kind == Value::Kind::kText ? texts_[static_cast<StringId>(value.bits)] : "";
  }
  // The value of `key` in a dict; none where there is no such key.
  Value Find(Value dict, std::string_view key) const {
    const auto items = Dict(dict);
    for (size_t i = 0; i + 1 < items.size(); i += 2)
      if (TextOf(items[i]) == key) return items[i + 1];
    return {};
  }

  size_t texts() const { return texts_.size(); }
  Value root;

 private:
  Value NewContainer(Value::Kind kind) {
    containers_.emplace_back();
    return {kind, static_cast<int64_t>(containers_.size() - 1)};
  }
  std::span<const Value> Of(Value value, Value::Kind kind) const {
    if (value.kind != kind) return {};
    return containers_[static_cast<size_t>(value.bits)];
  }

  StringTable texts_;
  std::vector<std::vector<Value>> containers_;
};

// What a tree may hold; more is an error.
struct TreeLimits {
  size_t values = 4'000'000;
  size_t text_bytes = size_t{64} << 20;
  size_t depth = 64;  // of marks in pickles and of nesting in JSON
};

}  // namespace stepscope
