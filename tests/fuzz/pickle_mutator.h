// Changes pickles as lists of opcodes with their operands: opcodes are dropped, copied, moved and
// swapped, and operands changed with their lengths.
#pragma once

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/chance.h"

namespace stepscope::fuzz {

// How many bytes of operand follow an opcode, or how many bytes say so.
struct PickleOperand {
  size_t fixed = 0, length = 0, lines = 0;
};

inline PickleOperand OperandOf(uint8_t opcode) {
  switch (opcode) {
    case 'K':
    case 'h':
    case 'q':
    case 0x80:
    case 0x82:
      return {.fixed = 1};
    case 'M':
    case 0x83:
      return {.fixed = 2};
    case 'J':
    case 'j':
    case 'r':
    case 0x84:
      return {.fixed = 4};
    case 'G':
    case 0x95:
      return {.fixed = 8};
    case 'U':
    case 'C':
    case 0x8a:
    case 0x8c:
      return {.length = 1};
    case 'X':
    case 'T':
    case 'B':
    case 0x8b:
      return {.length = 4};
    case 0x8d:
    case 0x8e:
    case 0x96:
      return {.length = 8};
    case 'c':
    case 'i':
      return {.lines = 2};
    case 'I':
    case 'L':
    case 'F':
    case 'S':
    case 'V':
    case 'P':
    case 'g':
    case 'p':
      return {.lines = 1};
    default:
      return {};
  }
}

// The pickle in pieces of one opcode each; the last may be cut.
inline std::vector<std::string> PickleOpcodes(std::string_view bytes) {
  std::vector<std::string> opcodes;
  while (!bytes.empty()) {
    const PickleOperand operand = OperandOf(static_cast<uint8_t>(bytes.front()));
    size_t size = 1 + operand.fixed + operand.length;
    if (operand.length > 0 && size <= bytes.size()) {
      uint64_t length = 0;
      std::memcpy(&length, bytes.data() + 1, operand.length);
      size += std::min<uint64_t>(length, bytes.size());
    }
    for (size_t k = 0; k < operand.lines; ++k)
      size = std::min(bytes.find('\n', std::min(size, bytes.size())), bytes.size()) + 1;
    size = std::min(size, bytes.size());
    opcodes.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  return opcodes;
}

inline std::string ChangedOpcode(const std::string& opcode, Chance& chance) {
  constexpr std::string_view kOpcodes =
      "(.012KMJNU}]ldtaesuboRhjqr\x85\x86\x87\x88\x89\x8c\x8f\x90\x94";
  const PickleOperand operand = OperandOf(static_cast<uint8_t>(opcode.front()));
  const size_t begin = 1 + operand.length;
  if (opcode.size() <= begin || chance.OneIn(6)) {
    const char other = kOpcodes[chance.Below(kOpcodes.size())];
    const PickleOperand needs = OperandOf(static_cast<uint8_t>(other));
    return other + std::string(needs.fixed + needs.length, static_cast<char>(chance.Below(4)));
  }
  const bool same_size = operand.fixed > 0;
  const std::string content = chance.Changed(std::string_view(opcode).substr(begin), same_size);
  std::string changed = opcode.substr(0, begin);
  const uint64_t size =
      operand.length == 1 ? std::min<size_t>(content.size(), 255) : content.size();
  if (operand.length > 0) std::memcpy(&changed[1], &size, operand.length);
  return changed + content.substr(0, operand.length > 0 ? size : content.npos);
}

// Another pickle; the same where there is none.
inline std::string MutatePickle(std::string_view bytes, Chance& chance) {
  std::vector<std::string> opcodes = PickleOpcodes(bytes);
  if (opcodes.empty()) return std::string(bytes);
  const size_t at = chance.Below(opcodes.size());
  const auto begin = opcodes.begin();
  const auto here = begin + static_cast<std::ptrdiff_t>(at);
  const size_t from = chance.Below(opcodes.size());
  const size_t count = std::min(1 + chance.Below(8), opcodes.size() - from);
  const auto first = begin + static_cast<std::ptrdiff_t>(from);
  const std::vector<std::string> run(first, first + static_cast<std::ptrdiff_t>(count));
  switch (chance.Below(7)) {
    case 0:
      opcodes.erase(here);
      break;
    case 1:
      opcodes.insert(here, std::string(*here));
      break;
    case 2:
      opcodes.insert(here, run.begin(), run.end());
      break;
    case 3:
      std::swap(*here, opcodes[from]);
      break;
    case 4:
      opcodes.erase(first, first + static_cast<std::ptrdiff_t>(count));
      break;
    default:
      *here = ChangedOpcode(*here, chance);
      break;
  }
  std::string out;
  for (const std::string& opcode : opcodes) out += opcode;
  return out;
}

}  // namespace stepscope::fuzz
