// Holds all that the rows of an answer need.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "query/connection.h"
#include "query/open_runs.h"
#include "query/read_vector.h"
#include "query/scan.h"
#include "query/watch.h"
#include "stepscope/query.h"

namespace stepscope {

// In the order of what needs what: the rows end first, the sessions last.
struct QueryRows::State {
  query::OpenRuns open;
  std::shared_ptr<query::ScanError> scan_error = std::make_shared<query::ScanError>();
  std::unique_ptr<query::Connection> connection;
  std::optional<query::Watch> watch;
  std::vector<Note> notes;
  std::vector<QueryColumn> columns;
  std::vector<std::unique_ptr<query::ColumnReader>> readers;
  std::optional<query::Question> question;
  std::optional<query::ResultHandle> result;
  std::vector<bool> is_text;  // of each column: VARCHAR
  int64_t text_left = 0;      // bytes that are still to be read; negative: there is no limit
  bool ended = false;

  // Starts a statement that was bound; asks it again with casts where columns cannot be read.
  Result<void> Start(query::Question bound);
  // The error to tell: why it was ended, what a scan said, or what DuckDB says.
  Error Told(const Error& said) const;
  // Fails where a part has more text than is left.
  Result<void> CountText(query::ChunkHandle& chunk, uint64_t rows);
  // The next rows that DuckDB has made; false at the end.
  Result<bool> ReadChunk(int64_t& rows);
};

}  // namespace stepscope
