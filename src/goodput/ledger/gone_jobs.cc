// Keeps the names of jobs that went in a table of the ledger's database.
#include "goodput/ledger/gone_jobs.h"

#include <string_view>

namespace stepscope::goodput {

Result<void> AddGoneJob(const Database& db, const std::string& job, int64_t now) {
  const std::string_view name = job;
  if (auto old = db.Run("DELETE FROM gone_jobs WHERE job = $1", {name}); !old) return old;
  return db.Run("INSERT INTO gone_jobs VALUES ($1, $2)", {name, now});
}

Result<std::map<std::string, int64_t>> GoneJobs(const Database* db) {
  std::map<std::string, int64_t> gone;
  if (db == nullptr) return gone;
  const auto there = db->HasTable(kGoneJobs);
  if (!there) return std::unexpected(there.error());
  if (!*there) return gone;
  const auto read = db->Run("SELECT job, gone FROM gone_jobs", {},
                            [&](const Database::Row& row) { gone[row.Text(0)] = row.Integer(1); });
  if (!read) return std::unexpected(read.error());
  return gone;
}

}  // namespace stepscope::goodput
