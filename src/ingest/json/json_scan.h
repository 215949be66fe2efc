// Finds the structure of JSON text: where every bracket, colon, comma, string and scalar begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace stepscope {

struct JsonScan {
  size_t tokens = 0;
  bool ends_in_string = false;
  bool control_in_string = false;  // a character below 0x20, which no JSON string may hold
  bool ascii = true;               // else whether it is UTF-8 is not known
};

// How many offsets there must be room for beyond one per byte.
inline constexpr size_t kJsonScanRoom = 64;

// Writes the offsets of the tokens of [text, text + size) in their order. Only strings and the
// separators are told apart: a scalar may be anything. A backslash escapes a quote outside of
// strings, too. REQUIRES: size < 2^32, room for size + kJsonScanRoom offsets.
JsonScan ScanJson(const char* text, size_t size, uint32_t* offsets);

// The same for one instruction set.
struct JsonScanner {
  std::string_view instructions;
  JsonScan (*scan)(const char* text, size_t size, uint32_t* offsets);
};
// Those that this processor has, the one first that ScanJson() takes.
const std::vector<JsonScanner>& JsonScanners();

}  // namespace stepscope
