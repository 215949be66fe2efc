// Reads debug annotations, which are the arguments of events: the same names and values as in a
// JSON trace, so they fill the same Args.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/string_table.h"
#include "ingest/kineto/kineto_fields.h"
#include "ingest/perfetto/interned.h"

namespace stepscope::perfetto {

// JSON text of a value that is no plain text: "[[2, 3], []]", "null".
struct JsonText {
  std::string_view text;
};
using Value = std::variant<std::monostate, int64_t, uint64_t, double, std::string_view, JsonText>;

// The arguments of one event.
struct EventArgs {
  Args args;  // texts are texts, not JSON tokens
  // Of texts of args.texts that are in the reader's table; else kNoString.
  std::array<StringId, Index(TextField::kCount)> ids;
  std::optional<int64_t> device, stream;
  // Arguments that PyTorch's JSON does not have: of rocprofv3 and xpu_timer, and those that tell
  // what an event without a category is.
  bool has_call_id = false, has_python_id = false, has_sync_kind = false;
  // Whether other names than PyTorch's are looked at: the file is not of export.
  bool foreign = true;

  void Clear();
};

class Annotations {
 public:
  explicit Annotations(StringTable& strings) : strings_(strings) {}

  // Takes one DebugAnnotation. With `counters` numbers of any name are collected too.
  void Take(std::string_view message, const Interned& interned, bool counters, EventArgs& into);
  // Takes an argument of this name.
  void Apply(std::string_view name, ArgUse use, const Value& value, StringId id, bool counters,
             EventArgs& into);
  // Name and value of a DebugAnnotation that is a member of the document, as Kineto writes them.
  std::optional<std::pair<std::string, std::string>> Member(std::string_view message,
                                                            const Interned& interned);

  // Ends the life of the texts that were made for the arguments.
  void Clear() { made_.clear(); }

 private:
  struct Read {
    std::string_view name;
    ArgUse use;
    Value value;
    StringId id = kNoString;
  };
  Read ReadOne(std::string_view message, const Interned& interned, int depth);
  void TakeJsonObject(std::string_view object, bool counters, EventArgs& into);
  std::string_view Keep(std::string text) { return made_.emplace_back(std::move(text)); }

  StringTable& strings_;
  std::deque<std::string> made_;
};

}  // namespace stepscope::perfetto
