// Takes the tokens of a JSON document one by one, and tells a visitor what they say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingest/json/json_restart.h"
#include "ingest/json/json_visitor.h"

namespace stepscope {

class JsonGrammar {
 public:
  explicit JsonGrammar(JsonVisitor& visitor) : visitor_(visitor) {}

  // Whether strings have to be looked at one by one: the window has bytes that no JSON may hold.
  void CheckStrings(bool check) { check_ = check; }

  // Takes a token, with the space behind it. False where it has no place, or is none.
  bool Take(std::string_view token);

  // Whether the document is whole.
  bool done() const { return next_ == Next::kNothing; }

  // After Take() failed: whether what begins there is an element of a known list. If so, what was
  // damaged is lost, and the element's bracket is the next token. To be asked in the order of the
  // text.
  bool GoOnAt(const JsonStart& start);

 private:
  enum class Next : uint8_t { kValue, kValueOrEnd, kKey, kKeyOrEnd, kColon, kCommaOrEnd, kNothing };
  struct Container {
    size_t path = 0;  // its length
    bool is_object = false, is_element = false;
    bool is_known = false;  // a list that the visitor knows, in which reading may go on
  };
  struct List {
    std::string path, key;  // the first key of its elements
  };

  bool TakesValue() const { return next_ == Next::kValue || next_ == Next::kValueOrEnd; }
  bool Pass(Next expected, Next next);
  void Ended() { next_ = open_.empty() ? Next::kNothing : Next::kCommaOrEnd; }
  bool Open(bool is_object);
  bool Close(bool is_object, Next empty);
  bool String(std::string_view token);
  void Key(std::string_view text);
  bool Scalar(std::string_view token);
  bool Mend(std::string_view& token);

  void Push(bool is_object);
  void Pop(size_t depth);
  bool GoOnIn(std::string_view key);
  void EnterList(const std::string& path, std::string_view key);
  void LeaveListsOf(std::string_view key);

  JsonVisitor& visitor_;
  Next next_ = Next::kValue;
  bool check_ = false;
  std::string path_, unescaped_, replaced_;
  std::vector<Container> open_;
  std::vector<std::string> first_keys_;  // of the elements of what is open at each depth
  List closed_;                          // the last known list that ended
};

}  // namespace stepscope
