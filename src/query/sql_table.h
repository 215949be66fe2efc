// Says what a table is to a query: columns with a type, and rows that come in parts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "stepscope/columns.h"
#include "stepscope/result.h"

namespace stepscope::query {

struct TableColumn {
  std::string name;
  ColumnType type = ColumnType::kText;
  std::string unit;      // as UnitName()
  std::string title;     // what it is; empty: its name says so
  bool boolean = false;  // 0 is false and 1 is true; the type is kInt8
  bool date = false;     // days since 1970, which a query sees as a DATE; the type is kInt64
};

// Rows one part behind the other. Used by one thread at a time.
class PartReader {
 public:
  PartReader() = default;
  PartReader(const PartReader&) = delete;
  PartReader& operator=(const PartReader&) = delete;
  virtual ~PartReader() = default;
  // Columns as they were asked for; numbers may be narrower than the table's. Null: the end.
  virtual Result<std::shared_ptr<const Columns>> Next() = 0;
};

class SqlTable {
 public:
  explicit SqlTable(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
  SqlTable(const SqlTable&) = delete;
  SqlTable& operator=(const SqlTable&) = delete;
  virtual ~SqlTable() = default;

  const std::vector<TableColumn>& columns() const { return columns_; }
  // These of its columns, by place; without any, parts whose number of rows counts.
  virtual std::unique_ptr<PartReader> Read(std::vector<size_t> columns) const = 0;
  // How many rows there are; 0: not known yet.
  virtual int64_t rows() const { return 0; }

 private:
  std::vector<TableColumn> columns_;
};

}  // namespace stepscope::query
