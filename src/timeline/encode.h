// Encodes a tile as bytes; docs/formats/tiles.md describes the format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "timeline/tile.h"

namespace stepscope {

// A box as it is written.
struct EncodedBox {
  double start = 0, duration = 0;  // ns on the axis
  uint32_t event = 0;
  uint32_t name = 0;  // into the tile's names
  uint16_t row = 0;
  Kind kind = Kind::kUnknown;
};

// Little-endian; every array is padded to a multiple of 8 bytes. Names that are no UTF-8 are
// mended, long ones cut.
std::string EncodeTile(const TileAddress& at, std::span<const EncodedBox> boxes,
                       std::span<const TileSpan> spans, std::span<const TilePoint> points,
                       std::span<const std::string_view> names);

}  // namespace stepscope
