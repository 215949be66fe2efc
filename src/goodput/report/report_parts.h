// Builds columns, cells and metrics that goodput reports share.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "goodput/accounting/bucket.h"
#include "stepscope/report.h"

namespace stepscope::goodput {

ColumnKind KindOf(Bucket bucket);

inline Column Key(std::string key, std::string title) {
  return {std::move(key), std::move(title), Unit::kNone, Role::kKey};
}
inline Column Time(std::string key, std::string title) {
  return {std::move(key), std::move(title), Unit::kNanoseconds};
}
inline Column Share(std::string key, std::string title) {
  return {std::move(key), std::move(title), Unit::kRatio};
}
inline Column Number(std::string key, std::string title) {
  return {std::move(key), std::move(title), Unit::kNone};
}

inline Column Detail(Column column) {
  column.detail = true;
  return column;
}

template <class T>
Cell Maybe(const std::optional<T>& value) {
  if (!value) return {};
  return *value;
}

inline Cell RatioOf(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace stepscope::goodput
