// Asks one statement about the events of a run, or about the same events as Parquet, and says what
// that costs:
//   query_bench traces PATH SQL       reads the traces
//   query_bench parquet FOLDER SQL    reads what `stepscope export --parquet` wrote there
// One line of JSON: seconds of wall time and CPU, peak resident bytes. Exit 77 without DuckDB.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "query/connection.h"
#include "stepscope/query.h"

namespace {

using stepscope::Result;

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

Result<void> AskTraces(const std::string& path, const std::string& sql) {
  auto rows = stepscope::Query(std::vector{path}, sql);
  if (!rows) return std::unexpected(rows.error());
  while (true) {
    const auto part = rows->Next();
    if (!part) return std::unexpected(part.error());
    if (part->rows == 0) return {};
  }
}

Result<void> AskParquet(const std::string& folder, const std::string& sql) {
  using namespace stepscope::query;
  const auto connection = Connection::Open(Reach::kFiles, {});
  if (!connection) return std::unexpected(connection.error());
  const std::string files = Quoted(folder + "/events/*.parquet");
  const auto made = (*connection)->Run("CREATE VIEW events AS FROM read_parquet(" + files + ")");
  return made ? (*connection)->Run(sql) : made;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string path = argv[2], sql = argv[3];
  const auto begin = std::chrono::steady_clock::now();
  const bool traces = std::string_view(argv[1]) == "traces";
  const auto asked = traces ? AskTraces(path, sql) : AskParquet(path, sql);
  if (!asked) {
    fmt::print(stderr, "{}\n", asked.error().what);
    return asked.error().what.contains("DuckDB") ? 77 : 1;
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  fmt::print(R"({{"wall_s": {:.4f}, "cpu_s": {:.4f}, "peak_bytes": {}}})"
             "\n",
             wall.count(), Seconds(usage.ru_utime) + Seconds(usage.ru_stime),
             usage.ru_maxrss * 1024);
}
