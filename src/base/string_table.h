// Interns strings: stores every distinct text once, named by a small number.
//
// Views handed out stay valid as long as the table: text is never moved.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace stepscope {

using StringId = uint32_t;
inline constexpr StringId kNoString = UINT32_MAX;

class StringTable {
 public:
  StringTable();

  // The id of `text`, which is copied in when it is new. Ids count up from 0 in order of arrival.
  StringId Intern(std::string_view text);

  // Replaces the text of each id by rewrite(text); ids stay. Of ids that get the same text, Find()
  // gives the first.
  void Rewrite(const std::function<std::string(std::string_view)>& rewrite);

  // The id of `text`, or kNoString when it was never interned.
  StringId Find(std::string_view text) const;

  std::string_view operator[](StringId id) const { return strings_[id]; }
  size_t size() const { return strings_.size(); }

 private:
  struct Slot {
    uint32_t hash = 0;
    StringId id = kNoString;
  };

  size_t SlotOf(std::string_view text, uint32_t hash) const;
  std::string_view Keep(std::string_view text);
  void Rehash();

  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
  std::vector<std::string_view> strings_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t chunk_left_ = 0;
};

}  // namespace stepscope
