// Writes JSON token by token into one string, without a tree, so that a table of a million rows
// needs memory only for its text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope {

// Appends `text` in quotes; any bytes: what is not UTF-8 becomes U+FFFD.
void AppendJsonString(std::string& out, std::string_view text);

// The caller is responsible for the grammar: containers that begin must end, and inside an object a
// Key() precedes every value.
class JsonWriter {
 public:
  // Whether each item of a container is on its own line, all are on its first line, or without
  // space.
  enum class Form : uint8_t { kLines, kOneLine, kCompact };

  // Writes behind `before`: to append to a text, move it here and back.
  explicit JsonWriter(std::string before = {}) : out_(std::move(before)) {}

  void BeginObject(Form form = Form::kLines) { Begin('{', '}', form); }
  void BeginArray(Form form = Form::kLines) { Begin('[', ']', form); }
  void End();

  void Key(std::string_view key);
  void String(std::string_view text);  // as AppendJsonString()
  void Int(int64_t value);
  void Double(double value);  // null unless finite
  void Bool(bool value);
  void Null();
  void Raw(std::string_view json);  // a value that is JSON already

  // "key": value, within an object.
  void Text(std::string_view key, std::string_view text) {
    Key(key);
    String(text);
  }
  void Number(std::string_view key, int64_t number) {
    Key(key);
    Int(number);
  }

  std::string Take() && { return std::move(out_); }

 private:
  struct Open {
    char close;
    Form form;
    bool has_items = false;
  };

  void Begin(char open, char close, Form form);
  bool Compact() const { return !open_.empty() && open_.back().form == Form::kCompact; }
  void NextItem();
  void NewLine();

  std::string out_;
  std::vector<Open> open_;
  bool after_key_ = false;
};

}  // namespace stepscope
