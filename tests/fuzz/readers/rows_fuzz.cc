// Fuzzes what reads the rows of a ledger in PostgreSQL: the client's library is one whose answers
// are what the input says. Whatever the rows, jobs are listed and accounted for, or there is an
// error.
//
// It takes the place of the library for the whole program, so it is in no other.
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "goodput/ledger/ledger.h"
#include "goodput/ledger/libpq.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/segment_bytes.h"
#include "tests/fuzz/sql_database.h"
#include "tests/fuzz/target.h"

// What answers a statement: rows of cells.
struct pg_result {
  std::vector<std::vector<std::optional<std::string>>> rows;
  bool failed = false, commit = false;
};

namespace stepscope::goodput {
namespace rows_fuzz {
namespace {

// The input of this run, from which all answers are taken.
Values* input = nullptr;

// Columns between SELECT and FROM.
size_t ColumnsOf(std::string_view sql) {
  const std::string_view list = sql.substr(0, sql.find(" FROM "));
  return 1 + static_cast<size_t>(std::ranges::count(list, ','));
}

std::string Integer(int64_t value) {
  const uint64_t big = std::byteswap(static_cast<uint64_t>(value));
  return {reinterpret_cast<const char*>(&big), sizeof big};
}

// A number, a name of few, so that tables fit each other, or any bytes.
std::optional<std::string> Cell() {
  const uint8_t type = input->Byte();
  switch (type % 8) {
    case 0:
      return std::nullopt;
    case 1:
      return Integer(input->Byte());
    case 2:
      return Integer(input->Number<int64_t>());
    case 3:
    case 4:
      return std::string(1, static_cast<char>('a' + type / 8 % 3)) + "-0";
    case 5:
      return std::string(input->Take(type / 8));
    case 6: {
      std::string segment = "STEPGOOD" + std::string(input->Take(1024));
      segment.insert(std::min<size_t>(segment.size(), 120),
                     kSlotsBegin - std::min<size_t>(segment.size(), 120), '\0');
      fuzz::RepairSegment(segment);
      return segment;
    }
    default:
      return std::string(input->Take(4 * size_t{input->Byte()}));
  }
}

pg_result* AnswerTo(const char* text) {
  const std::string_view sql = text;
  auto* const answer = new pg_result;
  answer->commit = sql == "COMMIT";
  if (!sql.starts_with("SELECT")) return answer;
  const uint8_t how = input->Byte();
  answer->failed = how == 255;
  const bool has_table = sql.starts_with("SELECT 1 FROM pg_tables");
  const size_t rows = has_table ? (how % 16 != 15) : sql.contains("set_config") ? 0 : how % 5;
  for (size_t k = 0; k < rows; ++k) {
    auto& row = answer->rows.emplace_back();
    while (row.size() < ColumnsOf(sql)) row.push_back(has_table ? Integer(1) : Cell());
  }
  return answer;
}

const std::optional<std::string>& At(const pg_result* answer, int row, int column) {
  return answer->rows.at(static_cast<size_t>(row)).at(static_cast<size_t>(column));
}

char message[] = "it failed";

const LibPq kLibrary = {
    .clear = [](pg_result* answer) { delete answer; },
    .cmdStatus = [](pg_result* answer) -> char* {
      static char commit[] = "COMMIT", other[] = "";
      return answer->commit ? commit : other;
    },
    .connectdbParams = [](const char* const*, const char* const*, int) -> PGconn* {
      return reinterpret_cast<PGconn*>(message);
    },
    .conninfoFree = [](PQconninfoOption*) {},
    .conninfoParse = [](const char*, char**) -> PQconninfoOption* {
      static PQconninfoOption none{};
      return &none;
    },
    .errorMessage = [](const PGconn*) -> char* { return message; },
    .execParams = [](PGconn*, const char* sql, int, const Oid*, const char* const*, const int*,
                     const int*, int) { return AnswerTo(sql); },
    .finish = [](PGconn*) {},
    .getisnull = [](const PGresult* answer, int row, int column) -> int {
      return At(answer, row, column) ? 0 : 1;
    },
    .getlength = [](const PGresult* answer, int row, int column) -> int {
      return static_cast<int>(At(answer, row, column).value_or("").size());
    },
    .getvalue = [](const PGresult* answer, int row, int column) -> char* {
      static char nothing[] = "";
      const auto& cell = At(answer, row, column);
      return cell ? const_cast<char*>(cell->data()) : nothing;
    },
    .ntuples = [](const PGresult* answer) { return static_cast<int>(answer->rows.size()); },
    .pass = [](const PGconn*) -> char* { return nullptr; },
    .resultErrorField = [](const PGresult*, int) -> char* { return nullptr; },
    .resultStatus =
        [](const PGresult* answer) { return answer->failed ? PGRES_FATAL_ERROR : PGRES_TUPLES_OK; },
    .setNoticeProcessor = [](PGconn*, PQnoticeProcessor, void*) -> PQnoticeProcessor {
      return nullptr;
    },
    .status = [](const PGconn*) { return CONNECTION_OK; },
};

void Fuzz(std::string_view bytes) {
  Values values(bytes);
  input = &values;
  auto ledger = Ledger::Open("postgresql://u@h/d", Access::kRead);
  if (!ledger) return Require(!ledger.error().what.empty());
  for (const std::string& name : ledger->JobNames()) {
    Job job;
    const auto done = ledger->Account(name, {}, job);
    Require(done || !done.error().what.empty());
  }
  ledger->InputNotes();
}

const fuzz::Register kTarget({.name = "rows", .run = &Fuzz});

}  // namespace
}  // namespace rows_fuzz

const LibPq* LoadLibPq() { return &rows_fuzz::kLibrary; }

}  // namespace stepscope::goodput
