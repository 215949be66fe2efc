// Transactions of either database.
#include "goodput/ledger/database.h"

namespace stepscope::goodput {

Result<Transaction> Transaction::Begin(const Database& db, Access access) {
  if (auto begun = db.Begin(access); !begun) {
    // A database may have begun and then not got what it waited for.
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
  // When this fails the database has undone it already.
  [[maybe_unused]] const auto undone = db_->Run("ROLLBACK");
}

}  // namespace stepscope::goodput
