// Fuzzes the way from the bytes of an SQLite database to the recordings of a report.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold. Bytes that
// begin with no database are read as SQL that fills one: damaged pages rarely hold rows of all
// tables.
#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/sqlite/database_file.h"
#include "ingest/trace_reader.h"
#include "tests/nsys_tables.h"

namespace stepscope {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void Check(const Trace& trace) {
  for (EventId e = 0; e < trace.size(); ++e) {
    Require(trace.tracks_of()[e] < trace.tracks.size());
    Require(trace.names()[e] < trace.strings.size());
    Require(trace.durations()[e] >= 0);
  }
}

void Read(std::string_view bytes) {
  auto traces = ReadRecordings(ByteSource::FromMemory(bytes));
  if (!traces) return Require(!traces.error().what.empty());
  Require(!traces->empty());
  for (const Recording& recording : *traces) Check(recording.trace);
  const auto last = ReadTrace(ByteSource::FromMemory(bytes), {.part = traces->size() - 1});
  Require(last && last->size() == traces->back().trace.size());
}

struct Close {
  void operator()(sqlite3* db) const { sqlite3_close(db); }
};

// A statement may run for so many steps, or a recursive one would never end.
int StopIt(void* left) { return --*static_cast<int*>(left) < 0 ? 1 : 0; }

std::string DatabaseOf(std::string_view sql) {
  sqlite3* opened = nullptr;
  if (sqlite3_open(":memory:", &opened) != SQLITE_OK) return "";
  const std::unique_ptr<sqlite3, Close> db(opened);
  int left = 100;
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, 1 << 20);
  sqlite3_progress_handler(opened, 1000, &StopIt, &left);
  sqlite3_exec(opened, testing::kNsysTables, nullptr, nullptr, nullptr);
  sqlite3_exec(opened, std::string(sql).c_str(), nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(opened, "main", &size, 0);
  if (bytes == nullptr) return "";
  std::string database(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
  sqlite3_free(bytes);
  return database;
}

}  // namespace
}  // namespace stepscope

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (stepscope::LooksLikeSqlite(bytes)) {
    stepscope::Read(bytes);
  } else {
    const std::string database = stepscope::DatabaseOf(bytes);
    if (!database.empty()) stepscope::Read(database);
  }
  return 0;
}
