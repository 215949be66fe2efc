// Offsets and sizes of blocks are rounded bytes, as those of segments are.
#include "memory_snapshot/snapshot_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "memory_snapshot/snapshot_tables.h"
#include "report/columns.h"

namespace stepscope::memory {
namespace {

constexpr size_t kMostBlocks = 20'000;

void AddSeries(std::vector<Series>& all, std::string key, Phrase title, const Curves& curves,
               std::span<const int64_t> values) {
  if (std::ranges::all_of(values, [](int64_t bytes) { return bytes == 0; })) return;
  Series series{.key = std::move(key),
                .title = std::move(title),
                .x_unit = Unit::kNanoseconds,
                .y_unit = Unit::kBytes,
                .points = {}};
  for (size_t i = 0; i < values.size(); ++i)
    series.points.emplace_back(1000 * static_cast<double>(curves.times[i]),
                               static_cast<double>(values[i]));
  all.push_back(std::move(series));
}

std::string_view StateName(BlockState state) {
  switch (state) {
    case BlockState::kAllocated:
      return "allocated";
    case BlockState::kAwaitingFree:
      return "awaiting free";
    case BlockState::kInactive:
      return "free";
  }
  return "";
}

struct Piece {
  int64_t offset = 0, size = 0, requested = 0;
  BlockState state = BlockState::kInactive;
  StackId stack = 0;
};

std::vector<Piece> PiecesOf(const MemorySnapshot& snapshot, const SnapshotSegment& segment,
                            bool merge) {
  std::vector<Piece> pieces;
  for (uint32_t i = 0; i < segment.blocks; ++i) {
    const SnapshotBlock& block = snapshot.blocks[segment.first_block + i];
    const int64_t offset = pieces.empty() ? 0 : pieces.back().offset + pieces.back().size;
    const int64_t requested = block.live() ? block.requested : 0;
    if (merge && !pieces.empty() && pieces.back().state == block.state) {
      pieces.back().size += block.size;
      pieces.back().requested += requested;
      pieces.back().stack = 0;
    } else {
      pieces.push_back({offset, block.size, requested, block.state, block.stack});
    }
  }
  return pieces;
}

// The largest first.
std::vector<size_t> LargestSegments(const MemorySnapshot& snapshot) {
  std::vector<size_t> order(snapshot.segments.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](size_t i) { return snapshot.segments[i].total; });
  return order;
}

}  // namespace

std::vector<Series> CurveSeries(const Curves& curves, const Sites& sites) {
  std::vector<Series> all;
  for (size_t i = 0; i < curves.categories.size(); ++i) {
    const auto category = static_cast<Category>(i);
    AddSeries(all, fmt::format("category.{}", ColumnKindName(KindOf(category))),
              CategoryName(category), curves, curves.categories[i]);
  }
  for (size_t i = 0; i < curves.sites.size(); ++i)
    AddSeries(all, fmt::format("place.{}", i), Phrase::Name(SiteText(sites, curves.sites[i])),
              curves, curves.places[i]);
  AddSeries(all, "place.other", "other places", curves, curves.places[Curves::kSites]);
  AddSeries(all, "place.before", "not recorded", curves, curves.places[Curves::kSites + 1]);
  AddSeries(all, "reserved", "reserved", curves, curves.reserved);
  return all;
}

Table BlocksTable(const MemorySnapshot& snapshot, const Sites& sites, int64_t& left_out) {
  Table table{
      .key = "blocks",
      .title = "Blocks of segments at the end",
      .columns = {KeyColumn("index", "segment index"), KeyColumn("offset", "offset", Unit::kBytes),
                  BytesColumn("size", "size"), Words(ValueColumn("state", "state")),
                  BytesColumn("requested", "requested"), ValueColumn("site", "place")},
      .text_rows = 0};
  const bool merge = snapshot.blocks.size() > kMostBlocks;
  left_out = static_cast<int64_t>(snapshot.segments.size());
  for (const size_t index : LargestSegments(snapshot)) {
    const auto pieces = PiecesOf(snapshot, snapshot.segments[index], merge);
    if (table.rows.size() + pieces.size() > kMostBlocks) break;
    for (const Piece& piece : pieces) {
      const bool live = piece.state != BlockState::kInactive;
      const StringId site = sites.places[piece.stack].site;
      table.rows.push_back({static_cast<int64_t>(index), piece.offset, piece.size,
                            std::string(StateName(piece.state)), When(live, piece.requested),
                            TextCell(live && site != 0 ? SiteText(sites, site) : "")});
    }
    --left_out;
  }
  return table;
}

}  // namespace stepscope::memory
