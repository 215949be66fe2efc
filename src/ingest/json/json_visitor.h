// What reads the values of a JSON document one by one (json_records.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stepscope {

// What an array is for a visitor. Behind damage reading goes on in known lists alone.
enum class JsonArray : uint8_t {
  kOther,
  kKnown,
  kMisplaced,  // known by its name, and cannot stand here: brackets before it are damaged
};

// What reads a document. Views are valid during the call. A path is that of the value itself.
class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  // An object that is an element of an array.
  virtual void BeginElement(std::string_view path) = 0;
  virtual void EndElement(std::string_view path) = 0;
  // Numbers that int64_t holds, booleans as 0 and 1.
  virtual void Number(std::string_view path, int64_t value) = 0;
  virtual void Text(std::string_view path, std::string_view value) = 0;
  // All else: null, other numbers, and that an object begins that is no element.
  virtual void Other(std::string_view path) { (void)path; }

  virtual JsonArray BeginArray(std::string_view path) { return (void)path, JsonArray::kOther; }
  // The path of a known list by its name, where `key` is the first one of its elements; empty:
  // there is none that may begin now.
  virtual std::string PathOfList(std::string_view name, std::string_view key) const {
    return (void)name, (void)key, std::string();
  }
  // Elements of a known list are lost, or what is within one: if one began, it does not end.
  virtual void LoseElement(std::string_view path) { (void)path; }
  // Whether '?' and U+FFFD may stand for so many characters of a text that JSON does not allow.
  virtual bool MayReplace(int64_t characters) { return (void)characters, false; }
};

}  // namespace stepscope
