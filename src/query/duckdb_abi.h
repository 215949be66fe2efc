// Declares what is used of DuckDB's C API, of a library that is loaded when a query is asked.
//
// Source: https://github.com/duckdb/duckdb/blob/v1.5.6/src/include/duckdb.h (MIT). Names and types
// are those of that header, without "duckdb_"; handles are pointers to what only DuckDB knows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stepscope::query::abi {

using Database = struct DatabaseOfDuckDb*;
using Connection = struct ConnectionOfDuckDb*;
using Config = struct ConfigOfDuckDb*;
using Statements = struct StatementsOfDuckDb*;
using Prepared = struct PreparedOfDuckDb*;
using Pending = struct PendingOfDuckDb*;
using Value = struct ValueOfDuckDb*;
using Chunk = struct ChunkOfDuckDb*;
using Vector = struct VectorOfDuckDb*;
using Selection = struct SelectionOfDuckDb*;
using LogicalType = struct LogicalTypeOfDuckDb*;
using TableFunction = struct TableFunctionOfDuckDb*;
using BindInfo = struct BindInfoOfDuckDb*;
using InitInfo = struct InitInfoOfDuckDb*;
using FunctionInfo = struct FunctionInfoOfDuckDb*;
using Index = uint64_t;  // idx_t

enum State : int { kSuccess = 0, kError = 1 };  // duckdb_state

enum StatementType : int { kSelect = 1, kExplain = 4 };  // duckdb_statement_type, what is allowed

enum Type : int {  // duckdb_type
  kBoolean = 1,
  kTinyInt = 2,
  kSmallInt = 3,
  kInteger = 4,
  kBigInt = 5,
  kUTinyInt = 6,
  kUSmallInt = 7,
  kUInteger = 8,
  kUBigInt = 9,
  kFloat = 10,
  kDouble = 11,
  kHugeInt = 16,
  kVarchar = 17,
  kDecimal = 19,
  kUHugeInt = 32,
  kSqlNull = 36,
};

// duckdb_result. It is handed over by value; all but the last field is from former versions.
struct Result {
  uint64_t unused[3] = {};
  void* also_unused[2] = {};
  void* data = nullptr;
};

// duckdb_string_t
struct String {
  uint32_t length;
  char prefix[4];
  const char* text;

  // Up to 12 bytes are where the prefix and the pointer are.
  const char* data() const { return length <= 12 ? prefix : text; }
};

struct HugeInt {  // duckdb_hugeint, and with the same bits duckdb_uhugeint
  uint64_t lower;
  int64_t upper;
};

using Delete = void (*)(void*);
using Bind = void (*)(BindInfo);
using Init = void (*)(InitInfo);
using Function = void (*)(FunctionInfo, Chunk);

}  // namespace stepscope::query::abi
