// Writes columns as Parquet, which DuckDB does.
#include "query/write_parquet.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/file_writer.h"
#include "base/sync_folder.h"
#include "base/system_error.h"
#include "base/unfinished_files.h"
#include "query/row_writer.h"
#include "query/scan.h"

namespace stepscope {
namespace query {
namespace {

// Rows of an answer, read as they are written.
class AnswerReader : public PartReader {
 public:
  AnswerReader(QueryRows& rows, int64_t limit, WrittenRows& written)
      : rows_(&rows), limit_(limit), written_(&written) {}

  Result<std::shared_ptr<const Columns>> Next() override {
    if (written_->cut) return nullptr;
    auto part = rows_->Next();
    if (!part) return std::unexpected(part.error());
    if (limit_ > 0 && written_->rows + part->rows > limit_) {
      written_->cut = true;
      part = FirstRows(*part, limit_ - written_->rows);
    }
    written_->rows += part->rows;
    if (part->rows == 0) return nullptr;
    return std::make_shared<const Columns>(std::move(*part));
  }

 private:
  QueryRows* rows_;
  int64_t limit_;
  WrittenRows* written_;
};

std::vector<TableColumn> ColumnsOf(const QueryRows& rows) {
  std::vector<TableColumn> columns;
  for (const QueryColumn& column : rows.columns())
    columns.push_back({.name = column.name, .type = column.type, .boolean = column.boolean});
  return columns;
}

class AnswerTable : public SqlTable {
 public:
  AnswerTable(QueryRows& rows, int64_t limit, WrittenRows& written)
      : SqlTable(ColumnsOf(rows)), rows_(&rows), limit_(limit), written_(&written) {}
  std::unique_ptr<PartReader> Read(std::vector<size_t>) const override {
    return std::make_unique<AnswerReader>(*rows_, limit_, *written_);
  }

 private:
  QueryRows* rows_;
  int64_t limit_;
  WrittenRows* written_;
};

Result<void> Sync(const std::string& file) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  const bool fine = fd >= 0 && fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) close(fd);
  if (fine) return {};
  return std::unexpected(SystemError("cannot write", error, file));
}

Result<void> Rename(const std::string& from, const std::string& to) {
  if (const auto synced = Sync(from); !synced) return synced;
  if (std::rename(from.c_str(), to.c_str()) != 0)
    return std::unexpected(SystemError("cannot write", errno, to));
  const std::string folder = std::filesystem::path(to).parent_path();
  return SyncFolder(folder.empty() ? "." : folder);
}

}  // namespace

Result<void> WriteTable(Connection& connection, const std::string& function,
                        std::shared_ptr<const SqlTable> table, const std::string& file) {
  const auto error = std::make_shared<ScanError>();
  if (const auto added = AddFunction(connection, function, std::move(table), error); !added)
    return added;
  const std::string unfinished = file + std::string(kPartialSuffix);
  AddUnfinished(unfinished);
  auto written = connection.Run(fmt::format(
      "COPY (FROM {}()) TO {} (FORMAT parquet, COMPRESSION zstd)", function, Quoted(unfinished)));
  if (!written) written = std::unexpected(error->Get().value_or(written.error()));
  if (written) written = Rename(unfinished, file);
  std::error_code none;
  if (!written) std::filesystem::remove(unfinished, none);
  ForgetUnfinished(unfinished);
  return written;
}

}  // namespace query

Result<WrittenRows> WriteParquet(QueryRows rows, const std::string& file, int64_t limit) {
  WrittenRows written;
  const auto table = std::make_shared<query::AnswerTable>(rows, limit, written);
  const auto connection = query::Connection::Open(query::Reach::kFiles, {});
  if (!connection) return std::unexpected(connection.error());
  const auto done = query::WriteTable(**connection, "stepscope_rows", table, file);
  if (!done) return std::unexpected(done.error());
  return written;
}

}  // namespace stepscope
