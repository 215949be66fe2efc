// Fills one column of chosen events.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/stop.h"
#include "base/string_table.h"
#include "events/recorded.h"
#include "stepscope/columns.h"

namespace stepscope {

// The chosen events of each file, ascending; absent: all.
struct Chosen {
  const RankRecord* record = nullptr;
  std::optional<std::vector<std::vector<uint32_t>>> events = {};

  size_t size() const;
  // Calls f(event) for each chosen event of a file.
  template <class F>
  void ForEach(size_t file, const F& f) const {
    StopChecks checks;
    if (events) {
      for (const uint32_t event : (*events)[file]) {
        checks.Turn();
        f(event);
      }
    } else {
      for (uint32_t event = 0; event < record->files[file].size(); ++event) {
        checks.Turn();
        f(event);
      }
    }
  }
};

// Values that stand one behind the other, and which rows have one.
template <class T>
class ColumnFill {
 public:
  explicit ColumnFill(size_t rows) { values_.reserve(rows); }

  void Append(std::optional<T> value) {
    if (!value) MarkMissing();
    values_.push_back(value.value_or(T{}));
  }
  ColumnData Finish(std::string name, ColumnType type) {
    ColumnData column{.name = std::move(name),
                      .type = type,
                      .rows = static_cast<int64_t>(values_.size()),
                      .nulls = nulls_};
    if (nulls_ > 0) {
      valid_.resize((values_.size() + 7) / 8, 0xff);
      column.valid = BufferOf(std::move(valid_));
    }
    column.values = BufferOf(std::move(values_));
    return column;
  }

 private:
  void MarkMissing() {
    const size_t row = values_.size();
    if (valid_.size() <= row / 8) valid_.resize(row / 8 + 1, 0xff);
    valid_[row / 8] = static_cast<uint8_t>(valid_[row / 8] & ~(1u << (row % 8)));
    ++nulls_;
  }

  std::vector<T> values_;
  std::vector<uint8_t> valid_;
  int64_t nulls_ = 0;
};

// make(file) gives a function of ascending events that returns a number or none.
template <class T, class Make>
ColumnData NumbersOfEvents(const Chosen& chosen, std::string name, ColumnType type,
                           const Make& make) {
  ColumnFill<T> fill(chosen.size());
  for (size_t f = 0; f < chosen.record->files.size(); ++f) {
    auto value_of = make(chosen.record->files[f]);
    chosen.ForEach(f, [&](uint32_t event) {
      const std::optional<int64_t> value = value_of(event);
      fill.Append(value ? std::optional<T>(static_cast<T>(*value)) : std::nullopt);
    });
  }
  return fill.Finish(std::move(name), type);
}

// A column of texts, of which each stands once.
class Dictionary {
 public:
  int32_t RowOf(std::string_view text) { return static_cast<int32_t>(texts_.Intern(text)); }
  std::shared_ptr<const ColumnData> Finish() const;

 private:
  StringTable texts_;
};

// make(file) gives a function of ascending events that returns the id of a string in file.trace(),
// or none.
template <class Make>
ColumnData TextsOfEvents(const Chosen& chosen, std::string name, const Make& make) {
  ColumnFill<int32_t> fill(chosen.size());
  Dictionary dictionary;
  for (size_t f = 0; f < chosen.record->files.size(); ++f) {
    const RecordedFile& file = chosen.record->files[f];
    auto id_of = make(file);
    std::vector<int32_t> rows(file.trace().strings.size(), -1);
    chosen.ForEach(f, [&](uint32_t event) {
      const std::optional<StringId> id = id_of(event);
      if (!id || *id == kNoString) return fill.Append(std::nullopt);
      if (rows[*id] < 0) rows[*id] = dictionary.RowOf(file.trace().strings[*id]);
      fill.Append(rows[*id]);
    });
  }
  ColumnData column = fill.Finish(std::move(name), ColumnType::kInt32);
  column.dictionary = dictionary.Finish();
  return column;
}

}  // namespace stepscope
