// Implements both packings.
#include "partials/packed_bits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "base/varint.h"

namespace stepscope {
namespace {

constexpr size_t kGroup = 8;       // values of a bit-packed group
constexpr size_t kBlock = 128;     // differences of a block
constexpr size_t kMiniBlocks = 4;  // of a block, each with its own width
constexpr size_t kMiniBlock = kBlock / kMiniBlocks;

uint64_t ZigZag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}

// Lowest bits first; a byte that is not full ends with zeros.
class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  void Put(uint64_t value, int width) {
    for (int done = 0; done < width;) {
      const int take = std::min(8 - used_, width - done);
      byte_ |= static_cast<unsigned>((value >> done) & ((1u << take) - 1)) << used_;
      used_ += take;
      done += take;
      if (used_ == 8) Flush();
    }
  }
  void Finish() {
    if (used_ > 0) Flush();
  }

 private:
  void Flush() {
    out_ += static_cast<char>(byte_);
    byte_ = 0;
    used_ = 0;
  }

  std::string& out_;
  unsigned byte_ = 0;
  int used_ = 0;
};

size_t RunAt(std::span<const uint32_t> values, size_t at) {
  size_t end = at + 1;
  while (end < values.size() && values[end] == values[at]) ++end;
  return end - at;
}

void AppendRun(std::string& out, uint32_t value, size_t count, int width) {
  AppendVarint(out, count << 1);
  for (int bit = 0; bit < width; bit += 8) out += static_cast<char>(value >> bit & 0xff);
}

// Whole groups; the last one of all may be filled up with zeros.
void AppendGroups(std::string& out, std::span<const uint32_t> values, int width) {
  const size_t groups = (values.size() + kGroup - 1) / kGroup;
  AppendVarint(out, groups << 1 | 1);
  BitWriter bits(out);
  for (size_t i = 0; i < groups * kGroup; ++i) bits.Put(i < values.size() ? values[i] : 0, width);
  bits.Finish();
}

void AppendBlock(std::string& out, std::span<const uint64_t> deltas) {
  // As in two's complement: differences wrap around.
  int64_t least = static_cast<int64_t>(deltas[0]);
  for (const uint64_t delta : deltas) least = std::min(least, static_cast<int64_t>(delta));
  AppendVarint(out, ZigZag(least));
  std::array<int, kMiniBlocks> widths{};
  for (size_t i = 0; i < deltas.size(); ++i) {
    const uint64_t over = deltas[i] - static_cast<uint64_t>(least);
    int& width = widths[i / kMiniBlock];
    width = std::max(width, static_cast<int>(std::bit_width(over)));
  }
  for (const int width : widths) out += static_cast<char>(width);
  for (size_t m = 0; m * kMiniBlock < deltas.size(); ++m) {
    BitWriter bits(out);
    for (size_t i = m * kMiniBlock; i < (m + 1) * kMiniBlock; ++i)
      bits.Put(i < deltas.size() ? deltas[i] - static_cast<uint64_t>(least) : 0, widths[m]);
    bits.Finish();
  }
}

}  // namespace

void AppendRuns(std::string& out, std::span<const uint32_t> values, int width) {
  size_t at = 0;
  while (at < values.size()) {
    if (const size_t run = RunAt(values, at); run >= kGroup) {
      AppendRun(out, values[at], run, width);
      at += run;
      continue;
    }
    // Groups until a run begins at the end of one.
    size_t end = at;
    while (end < values.size() && RunAt(values, end) < kGroup) end += kGroup;
    end = std::min(end, values.size());
    AppendGroups(out, values.subspan(at, end - at), width);
    at = end;
  }
}

void AppendDeltas(std::string& out, std::span<const int64_t> values) {
  AppendVarint(out, kBlock);
  AppendVarint(out, kMiniBlocks);
  AppendVarint(out, values.size());
  AppendVarint(out, ZigZag(values.empty() ? 0 : values[0]));
  std::array<uint64_t, kBlock> deltas{};
  for (size_t at = 1; at < values.size(); at += kBlock) {
    const size_t count = std::min(kBlock, values.size() - at);
    for (size_t i = 0; i < count; ++i)
      deltas[i] = static_cast<uint64_t>(values[at + i]) - static_cast<uint64_t>(values[at + i - 1]);
    AppendBlock(out, std::span(deltas).first(count));
  }
}

}  // namespace stepscope
