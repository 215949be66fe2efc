// Implements transactions of both databases.
#include "goodput/ledger/database.h"

namespace stepscope::goodput {

Result<Transaction> Transaction::Begin(const Database& db, Access access) {
  if (auto begun = db.Begin(access); !begun) {
    // The database may have begun the transaction before its wait failed.
    [[maybe_unused]] const auto undone = db.Run("ROLLBACK");
    return std::unexpected(begun.error());
  }
  return Transaction(db);
}

Result<void> Transaction::Commit() {
  auto committed = db_->Commit();
  if (committed) db_ = nullptr;
  return committed;
}

Transaction::~Transaction() {
  if (db_ == nullptr) return;
  // On failure the database has rolled back already.
  [[maybe_unused]] const auto undone = db_->Run("ROLLBACK");
}

}  // namespace stepscope::goodput
