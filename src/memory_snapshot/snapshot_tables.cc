// Sizes of events and of live blocks are requested bytes; of segments they are rounded.
#include "memory_snapshot/snapshot_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/columns.h"

namespace stepscope::memory {
namespace {

std::vector<Column> AmountColumns() {
  Column bytes = BytesColumn("bytes", "requested at peak");
  bytes.kind = ColumnKind::kMemory;
  return {bytes, RatioColumn("share", "share of peak"), CountColumn("allocations", "allocations")};
}

void AddAmount(std::vector<Cell>& row, const Amount& amount, const Replay& replay) {
  row.insert(row.end(), {amount.bytes, Ratio(amount.bytes, replay.peak), amount.count});
}

}  // namespace

Cell Moment(int64_t microseconds) {
  if (microseconds < 0 || microseconds > INT64_MAX / 1000) return {};
  return microseconds * 1000;
}

std::string SiteText(const Sites& sites, StringId site) {
  return site == 0 ? "not recorded" : std::string(sites.texts[site]);
}

Table StacksTable(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay) {
  Table table{.key = "stacks",
              .title = "Memory at the peak by place in the code",
              .columns = {KeyColumn("site", "place"), Words(KeyColumn("category", "category"))},
              .text_rows = kRowsShown};
  AddColumns(table, AmountColumns());
  AddColumns(table, {Detail(ValueColumn("stack", "stack"))});
  for (const Holder& holder : HoldersBy(By::kSite, sites, replay)) {
    if (table.rows.size() >= kMostRows) break;
    std::vector<Cell> row{SiteText(sites, holder.name), std::string(CategoryName(holder.category))};
    AddAmount(row, holder.amount, replay);
    row.push_back(TextCell(StackText(snapshot.stacks, holder.largest)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table OperatorsTable(const Sites& sites, const Replay& replay) {
  Table table{.key = "operators",
              .title = "Memory at the peak by operator",
              .columns = {KeyColumn("operator", "operator")},
              .text_rows = kRowsShown};
  AddColumns(table, AmountColumns());
  for (const Holder& holder : HoldersBy(By::kOperator, sites, replay)) {
    if (table.rows.size() >= kMostRows) break;
    std::vector<Cell> row{SiteText(sites, holder.name)};
    AddAmount(row, holder.amount, replay);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table CategoriesTable(const Sites& sites, const Replay& replay) {
  Table table{.key = "categories",
              .title = "Memory at the peak by category",
              .columns = {Words(KeyColumn("category", "category"))},
              .kind_column = "kind"};
  AddColumns(table, AmountColumns());
  AddColumns(table, {Detail(ValueColumn("kind", "kind"))});
  for (const Holder& holder : HoldersBy(By::kCategory, sites, replay)) {
    std::vector<Cell> row{std::string(CategoryName(holder.category))};
    AddAmount(row, holder.amount, replay);
    row.emplace_back(std::string(ColumnKindName(KindOf(holder.category))));
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table SegmentsTable(const MemorySnapshot& snapshot) {
  Table table{.key = "segments",
              .title = "Segments at the end",
              .columns = {KeyColumn("device", "device"), KeyColumn("address", "address"),
                          Detail(KeyColumn("index", "index")), BytesColumn("size", "size"),
                          BytesColumn("allocated", "allocated"), BytesColumn("unused", "unused"),
                          BytesColumn("largest_free", "largest free block"),
                          CountColumn("blocks", "blocks"), Words(ValueColumn("type", "type")),
                          Words(ValueColumn("expandable", "expandable")),
                          Detail(ValueColumn("stream", "stream"))},
              .text_rows = kRowsShown};
  for (size_t place = 0; place < snapshot.segments.size() && place < 10 * kMostRows; ++place) {
    const SnapshotSegment& segment = snapshot.segments[place];
    int64_t unused = 0, largest = 0;
    for (uint32_t i = 0; i < segment.blocks; ++i) {
      const SnapshotBlock& block = snapshot.blocks[segment.first_block + i];
      if (block.live()) continue;
      unused += block.size;
      largest = std::max(largest, block.size);
    }
    table.rows.push_back({segment.device, fmt::format("0x{:x}", segment.address),
                          static_cast<int64_t>(place), segment.total, segment.allocated, unused,
                          largest, int64_t{segment.blocks}, segment.large ? "large" : "small",
                          segment.expandable ? "yes" : "no", segment.stream});
  }
  SortDescending(table, "unused");
  return table;
}

Table DevicesTable(std::span<const Replay> replays) {
  Table table{.key = "devices",
              .title = "Memory by device",
              .columns = {KeyColumn("device", "device"), BytesColumn("start", "requested at start"),
                          BytesColumn("peak", "peak requested"),
                          ValueColumn("peak_time", "peak time", Unit::kUnixTime),
                          BytesColumn("end", "requested at end"),
                          BytesColumn("allocated", "allocated at end"),
                          BytesColumn("reserved", "reserved at end"),
                          BytesColumn("reserved_peak", "peak reserved"),
                          BytesColumn("unused", "unused at end"),
                          BytesColumn("largest_free", "largest free block"),
                          CountColumn("events", "events")},
              .text_rows = replays.size() > 1 ? kRowsShown : 0};
  for (const Replay& replay : replays) {
    const bool known = replay.possible;
    table.rows.push_back({replay.device, When(known, replay.at_start), When(known, replay.peak),
                          When(known, Moment(replay.peak_time)), replay.at_end,
                          replay.allocated_at_end, replay.reserved_at_end,
                          When(known, replay.reserved_peak), replay.unused_at_end,
                          replay.largest_free, replay.events});
  }
  return table;
}

Table OutOfMemoryTable(const MemorySnapshot& snapshot, const Sites& sites, const Replay& replay) {
  Table table{
      .key = "out_of_memory",
      .title = "Allocations that failed",
      .columns = {KeyColumn("failure", "failure"), ValueColumn("time", "time", Unit::kUnixTime),
                  BytesColumn("wanted", "wanted"), BytesColumn("device_free", "free on the device"),
                  BytesColumn("requested", "requested then"),
                  BytesColumn("reserved", "reserved then"), ValueColumn("site", "place"),
                  Detail(ValueColumn("stack", "stack"))},
      .text_rows = kRowsShown};
  for (const Oom& oom : replay.ooms) {
    table.rows.push_back({static_cast<int64_t>(table.rows.size() + 1), Moment(oom.time), oom.wanted,
                          oom.device_free, When(replay.possible, oom.requested),
                          When(replay.possible, oom.reserved),
                          SiteText(sites, sites.places[oom.stack].site),
                          TextCell(StackText(snapshot.stacks, oom.stack))});
  }
  return table;
}

Table GrowthTable(const MemorySnapshot& snapshot, const Sites& sites,
                  std::span<const Growing> growing) {
  Table table{.key = "growth",
              .title = "Places whose memory grows throughout",
              .columns = {KeyColumn("site", "place"), BytesColumn("first", "after first eighth"),
                          BytesColumn("last", "at end"), BytesColumn("growth", "growth"),
                          Detail(ValueColumn("stack", "stack"))},
              .text_rows = kRowsShown};
  for (const Growing& one : growing)
    table.rows.push_back({SiteText(sites, one.site), one.first, one.last, one.last - one.first,
                          TextCell(StackText(snapshot.stacks, one.largest))});
  return table;
}

}  // namespace stepscope::memory
