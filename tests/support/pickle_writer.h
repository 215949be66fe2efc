// Writes pickles of plain values as Python does: protocol 4, batches, texts remembered.
//
//   Dict({{"action", "alloc"}, {"addr", 4096}}) is bytes to be put into others; Pickle() ends them.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope::testing {

// The opcodes of one value.
struct Pickled {
  std::string bytes;

  Pickled(int64_t number) {
    bytes = "\x8a\x08";  // LONG1
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(static_cast<uint64_t>(number) >> 8 * i);
  }
  Pickled(int number) : Pickled(int64_t{number}) {}
  Pickled(std::string_view text) {
    bytes = {'X', static_cast<char>(text.size()), static_cast<char>(text.size() >> 8), 0, 0};
    bytes += text;
    bytes += '\x94';
  }
  Pickled(const char* text) : Pickled(std::string_view(text)) {}

  static Pickled Raw(std::string bytes) {
    Pickled value(0);
    value.bytes = std::move(bytes);
    return value;
  }
};

inline Pickled Dict(const std::vector<std::pair<std::string, Pickled>>& items) {
  std::string bytes = "}\x94(";
  for (const auto& [key, value] : items) bytes += Pickled(key).bytes + value.bytes;
  return Pickled::Raw(bytes + "u");
}

inline Pickled List(const std::vector<Pickled>& items) {
  std::string bytes = "]\x94";
  if (items.empty()) return Pickled::Raw(bytes);
  bytes += '(';
  for (const Pickled& item : items) bytes += item.bytes;
  return Pickled::Raw(bytes + "e");
}

inline std::string Pickle(const Pickled& value) { return "\x80\x04" + value.bytes + "."; }

}  // namespace stepscope::testing
