// Writes the arrays of a tile one after another.
#include "timeline/encode.h"

#include <array>
#include <cstring>
#include <vector>

#include "base/rune.h"

namespace stepscope {
namespace {

constexpr uint32_t kMagic = 0x31544C53;  // "SLT1"
constexpr size_t kLongestName = 256;     // bytes; details of an event have it whole

template <class T>
void Put(std::string& out, T value) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), &value, sizeof(T));  // we run on little-endian machines only
  out.append(bytes.data(), bytes.size());
}

void Pad(std::string& out) { out.append((8 - out.size() % 8) % 8, '\0'); }

// One array: of(item) for each item.
template <class Items, class Of>
void PutArray(std::string& out, const Items& items, const Of& of) {
  for (const auto& item : items) Put(out, of(item));
  Pad(out);
}

void AppendName(std::string& out, std::string_view name) {
  const size_t from = out.size();
  for (size_t at = 0; at < name.size();) {
    const Rune rune = DecodeRune(name, at);
    if (out.size() - from + rune.length > kLongestName) {
      out += "\u2026";
      return;
    }
    if (rune.valid) {
      out.append(name, at, rune.length);
    } else {
      out += "\ufffd";
    }
    at += rune.length;
  }
}

void PutNames(std::string& out, std::span<const std::string_view> names) {
  std::string text;
  std::vector<uint32_t> ends;
  for (const std::string_view name : names) {
    AppendName(text, name);
    ends.push_back(static_cast<uint32_t>(text.size()));
  }
  PutArray(out, ends, [](uint32_t end) { return end; });
  out += text;
  Pad(out);
}

}  // namespace

std::string EncodeTile(const TileAddress& at, std::span<const EncodedBox> boxes,
                       std::span<const TileSpan> spans, std::span<const TilePoint> points,
                       std::span<const std::string_view> names) {
  std::string out;
  out.reserve(64 + boxes.size() * 28 + spans.size() * 10 + points.size() * 14);
  const auto count = [](const auto& items) { return static_cast<uint32_t>(items.size()); };
  const auto low = static_cast<uint32_t>(at.index);
  const auto high = static_cast<uint32_t>(at.index >> 32);
  for (const uint32_t number : {kMagic, 0u, at.track, at.level, low, count(boxes), count(spans),
                                count(names), count(points), high}) {
    Put(out, number);
  }
  PutArray(out, boxes, [](const EncodedBox& b) { return b.start; });
  PutArray(out, boxes, [](const EncodedBox& b) { return b.duration; });
  PutArray(out, boxes, [](const EncodedBox& b) { return b.event; });
  PutArray(out, boxes, [](const EncodedBox& b) { return b.name; });
  PutArray(out, boxes, [](const EncodedBox& b) { return b.row; });
  PutArray(out, boxes, [](const EncodedBox& b) { return static_cast<uint8_t>(b.kind); });
  PutArray(out, boxes, [](const EncodedBox&) { return uint8_t{0}; });  // flags: none yet
  PutArray(out, spans, [](const TileSpan& s) { return s.bucket; });
  PutArray(out, spans, [](const TileSpan& s) { return s.row; });
  PutArray(out, spans, [](const TileSpan& s) { return s.count; });
  PutArray(out, spans, [](const TileSpan& s) { return s.cover; });
  PutArray(out, spans, [](const TileSpan& s) { return static_cast<uint8_t>(s.kind); });
  PutArray(out, points, [](const TilePoint& p) { return p.bucket; });
  PutArray(out, points, [](const TilePoint& p) { return p.low; });
  PutArray(out, points, [](const TilePoint& p) { return p.high; });
  PutArray(out, points, [](const TilePoint& p) { return p.last; });
  PutNames(out, names);
  const auto bytes = static_cast<uint32_t>(out.size());
  std::memcpy(out.data() + sizeof(uint32_t), &bytes, sizeof(bytes));
  return out;
}

}  // namespace stepscope
