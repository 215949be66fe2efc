// Fuzzes the way from what rocprofv3 writes to recordings: JSON, and SQL that fills a database.
//
// Beside crashes and sanitizer reports it looks for events that a trace must not hold.
#include <sqlite3.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "ingest/trace_reader.h"
#include "tests/rocpd_tables.h"

namespace stepscope {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

void Read(std::string_view bytes) {
  const auto traces = ReadRecordings(ByteSource::FromMemory(bytes));
  if (!traces) return Require(!traces.error().what.empty());
  Require(!traces->empty());
  for (const Recording& recording : *traces) {
    const Trace& trace = recording.trace;
    for (EventId e = 0; e < trace.size(); ++e) {
      Require(trace.tracks_of()[e] < trace.tracks.size());
      Require(trace.names()[e] < trace.strings.size());
      Require(trace.durations()[e] >= 0);
    }
  }
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
  for (const char* text : {testing::kRocpdTables, testing::kRocpdNames})
    sqlite3_exec(opened, text, nullptr, nullptr, nullptr);
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
  if (bytes.starts_with('{')) {
    stepscope::Read(bytes);
  } else {
    const std::string database = stepscope::DatabaseOf(bytes);
    if (!database.empty()) stepscope::Read(database);
  }
  return 0;
}
