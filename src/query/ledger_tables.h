// Tables of accounted jobs, of all ledgers together.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "query/report_tables.h"
#include "stepscope/goodput_rows.h"

namespace stepscope::query {

// What a question finds of the ledgers that it names.
struct OpenLedgers {
  std::vector<std::string> paths;
  std::shared_ptr<std::vector<GoodputRows>> rows;  // null: no table of theirs is wanted
};

// Whether it is the name of such a table.
bool IsLedgerTable(std::string_view name);

// Reads them. A ledger that several paths name is an error.
Result<void> ReadLedgers(OpenLedgers& ledgers, const std::stop_token& stop);

// What is to be told of the answer: their own notes, and jobs that several of them have.
std::vector<Note> NotesOfLedgers(const OpenLedgers& ledgers);

// All of their tables; without ledgers none.
std::vector<NamedTable> LedgerTables(const OpenLedgers& ledgers);

}  // namespace stepscope::query
