// Reads the operations of a job from the Parquet form of ByteDance's StragglerAnalysis
// (docs/formats/operations.md).
#pragma once

#include <string>
#include <vector>

#include "stepscope/report.h"
#include "stepscope/result.h"
#include "trace/operations.h"

namespace stepscope {

struct OperationsFile {
  JobOperations operations;
  std::string layout;       // the file that told it; empty: there is none
  std::vector<Note> notes;  // rows that were left out, and what had to be inferred
};

// Whether the file begins as Parquet does. False where it cannot be read.
bool IsParquet(const std::string& path);

// Fails where the file is not readable Parquet, or lacks a column that operations have.
Result<OperationsFile> ReadOperations(const std::string& path);

}  // namespace stepscope
