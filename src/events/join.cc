// Puts columns of several ranks one behind the other.
#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/parallel.h"
#include "events/column.h"
#include "stepscope/events.h"

namespace stepscope {
namespace {

using Parts = std::span<ColumnData* const>;

size_t WidthOf(ColumnType type) {
  return WithZeroOf(type, [](auto zero) { return sizeof(zero); });
}

// Whole numbers of one rank may need more bits than those of another.
ColumnType WidestOf(Parts parts) {
  ColumnType widest = parts.front()->type;
  for (const ColumnData* part : parts) {
    if (WidthOf(part->type) > WidthOf(widest)) widest = part->type;
  }
  return widest;
}

// Where a part's texts are in a dictionary for all.
std::vector<int32_t> RowsIn(Dictionary& all, const ColumnData& texts) {
  std::vector<int32_t> rows;
  for (int64_t row = 0; row < texts.rows; ++row) rows.push_back(all.RowOf(texts.TextAt(row)));
  return rows;
}

// `rows`: where texts are; empty: the column has numbers.
template <class From, class To>
void CopyAs(const ColumnData& part, const std::vector<int32_t>& rows, To* out) {
  const std::span values(part.values.As<From>(), static_cast<size_t>(part.rows));
  StopChecks checks;
  for (const From value : values) {
    checks.Turn();
    *out++ =
        rows.empty() ? static_cast<To>(value) : static_cast<To>(rows[static_cast<size_t>(value)]);
  }
}

// A part is freed once it is copied.
template <class To>
Buffer JoinValues(Parts parts, const std::vector<std::vector<int32_t>>& rows, int64_t count) {
  std::vector<To> all(static_cast<size_t>(count));
  To* out = all.data();
  for (size_t p = 0; p < parts.size(); ++p) {
    WithZeroOf(parts[p]->type, [&](auto zero) { CopyAs<decltype(zero)>(*parts[p], rows[p], out); });
    out += parts[p]->rows;
    parts[p]->values = {};
  }
  return BufferOf(std::move(all));
}

Buffer JoinValid(Parts parts, int64_t count) {
  std::vector<uint8_t> valid(static_cast<size_t>(count + 7) / 8, 0xff);
  int64_t at = 0;
  StopChecks checks;
  for (const ColumnData* part : parts) {
    for (int64_t row = 0; row < part->rows && part->nulls > 0; ++row) {
      checks.Turn();
      const auto to = static_cast<size_t>(at + row);
      if (part->IsNull(row)) valid[to / 8] = static_cast<uint8_t>(valid[to / 8] & ~(1u << to % 8));
    }
    at += part->rows;
  }
  return BufferOf(std::move(valid));
}

ColumnData JoinColumn(Parts parts) {
  ColumnData all{.name = parts.front()->name, .type = WidestOf(parts)};
  for (const ColumnData* part : parts) {
    all.rows += part->rows;
    all.nulls += part->nulls;
  }
  if (all.nulls > 0) all.valid = JoinValid(parts, all.rows);
  std::vector<std::vector<int32_t>> rows(parts.size());
  if (parts.front()->dictionary) {
    Dictionary texts;
    for (size_t p = 0; p < parts.size(); ++p) rows[p] = RowsIn(texts, *parts[p]->dictionary);
    all.dictionary = texts.Finish();
  }
  all.values = WithZeroOf(
      all.type, [&](auto zero) { return JoinValues<decltype(zero)>(parts, rows, all.rows); });
  return all;
}

}  // namespace

Result<Columns> JoinEvents(std::vector<Columns> parts, std::stop_token stop) {
  if (parts.size() == 1) return std::move(parts.front());
  Columns all{.columns = std::vector<ColumnData>(parts.front().columns.size())};
  for (const Columns& part : parts) all.rows += part.rows;
  try {
    const StopScope scope(std::move(stop));
    ParallelFor(all.columns.size(), 0, [&](size_t c) {
      std::vector<ColumnData*> of_column;
      for (Columns& part : parts) of_column.push_back(&part.columns[c]);
      all.columns[c] = JoinColumn(of_column);
    });
    return all;
  } catch (const Stopped&) {
    return std::unexpected(Error{"reading events was canceled", "", ""});
  }
}

}  // namespace stepscope
