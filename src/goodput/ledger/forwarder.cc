// Copies segments to rows. Of growing segments only the last two pieces are compared, since earlier
// ones no longer change.
#include "goodput/ledger/forwarder.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "base/crc32.h"
#include "base/system_error.h"
#include "base/time_units.h"
#include "goodput/ledger/ledger.h"
#include "goodput/recorder/segment_reader.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostRows = 256;             // per transaction: 16 MB
constexpr int64_t kBytesPerSecond = 2048;      // a full piece waits for 32 s
constexpr int64_t kCheckEvery = 30 * kSecond;  // whether a segment has got events of its own

// Drops the zeros at the end, reserved for later events.
std::string_view Trimmed(std::string_view piece, uint64_t number) {
  const size_t end = piece.find_last_not_of('\0');
  const size_t used = end == piece.npos ? 0 : (end / kSlotBytes + 1) * kSlotBytes;
  return piece.substr(0, number == 0 ? std::max(used, kSlotsBegin) : used);
}

}  // namespace

bool Forwarder::SentPiece::IsDue(size_t now_bytes, int64_t now) const {
  const bool completed = now_bytes == kPieceBytes && bytes < kPieceBytes;
  if (completed || now_bytes >= 2 * bytes || now < time) return true;
  return now - time >= static_cast<int64_t>(bytes) * kSecond / kBytesPerSecond;
}

Result<void> Forwarder::Send(int64_t now, What what) {
  now_ = now;
  what_ = what;
  Result<void> sent = Connect();
  if (sent) sent = SendAll();
  if (sent) return sent;
  sent_in_transaction_.clear();
  transaction_.reset();
  db_.reset();
  return sent;
}

Result<void> Forwarder::Connect() {
  if (db_ != nullptr) return {};
  if (auto ledger = Ledger::Open(address_, Access::kRead); ledger) {
    if (auto loaded = LoadKnown(*ledger); !loaded) return loaded;
  } else {  // it may not exist yet
    auto made = Ledger::Open(address_, Access::kWrite);
    if (!made) return std::unexpected(made.error());
    if (auto loaded = LoadKnown(*made); !loaded) return loaded;
    if (auto done = made->Commit(); !done) return std::unexpected(done.error());
  }
  auto db = Postgres::Open(address_);
  if (!db) return std::unexpected(db.error());
  db_ = std::move(*db);
  auto loaded = LoadSent();
  if (!loaded) db_.reset();
  return loaded;
}

Result<void> Forwarder::LoadKnown(const Ledger& ledger) {
  const auto names = Names();
  if (!names) return std::unexpected(names.error());
  auto known = NumbersBut({names->begin(), names->end()}, ledger, writers_are_);
  if (!known) return std::unexpected(known.error());
  known_ = std::make_shared<const NumbersByWriter>(std::move(*known));
  elsewhere_.clear();
  return {};
}

Result<void> Forwarder::LoadSent() {
  auto transaction = Transaction::Begin(*db_, Access::kRead);
  if (!transaction) return std::unexpected(transaction.error());
  sent_.clear();
  // Rolled up and removed segments are known only by name.
  auto loaded = db_->Run("SELECT file FROM done", {}, [this](const Database::Row& row) {
    sent_[row.Text(0)] = {.may_grow = false};
  });
  if (!loaded) return loaded;
  loaded =
      db_->Run("SELECT name, size, changed FROM segments", {}, [this](const Database::Row& row) {
        sent_[row.Text(0)] = {.size = row.Integer(1), .changed = row.Integer(2)};
      });
  if (!loaded) return loaded;
  // All before the last two are complete.
  loaded = db_->Run("SELECT segment, MAX(number) FROM pieces GROUP BY segment", {},
                    [this](const Database::Row& row) {
                      const auto last = static_cast<uint64_t>(row.Integer(1));
                      auto& pieces = sent_[row.Text(0)].pieces;
                      pieces[last] = {};
                      if (last > 0) pieces[last - 1] = {};
                    });
  return loaded ? transaction->Commit() : loaded;
}

Result<std::vector<std::string>> Forwarder::Names() const {
  std::error_code failed;
  std::vector<std::string> names = SegmentNames(folder_, failed);
  if (!failed) return names;
  return std::unexpected(SystemError("cannot read the directory", failed.value(), folder_));
}

// Whether the database has all of its events in other segments, now: it may grow.
Result<bool> Forwarder::IsElsewhere(const std::string& name) {
  if (known_->empty() || !name.contains(kOfCollector)) return false;
  const auto before = elsewhere_.find(name);
  if (before != elsewhere_.end()) {
    const int64_t age = now_ - before->second.checked;
    const bool fresh = what_ == What::kDue && age >= 0 && age < kCheckEvery;
    if (before->second.closed || fresh) return true;
  }
  const auto numbers = NumbersIn(folder_ + "/" + name, kSequencesEnd);
  if (!numbers) return std::unexpected(numbers.error());
  if (numbers->header && numbers->by_writer.empty()) return true;  // its first event is to come
  if (!IsKnown(*numbers, *known_, writers_are_)) return false;
  elsewhere_[name] = {.checked = now_, .closed = numbers->mark && numbers->mark->closed};
  return true;
}

// Whether a segment may have changed. Stores into a mapping need not change the file's time; the
// final cut does.
Result<void> Forwarder::SendAll() {
  const auto names = Names();
  if (!names) return std::unexpected(names.error());
  for (const std::string& name : *names) {
    struct stat state{};
    if (stat((folder_ + "/" + name).c_str(), &state) != 0) continue;
    const Sent there{.size = state.st_size,
                     .changed = int64_t{state.st_mtim.tv_sec} * kSecond + state.st_mtim.tv_nsec};
    const auto known = sent_.find(name);
    const Sent sent = known == sent_.end() ? Sent() : known->second;
    const bool removed = sent.size < 0 && !sent.may_grow;
    const bool same = sent.size == there.size && sent.changed == there.changed;
    if (removed || (same && (!sent.may_grow || there.changed < now_ - kDay))) continue;
    const auto elsewhere = known == sent_.end() ? IsElsewhere(name) : Result<bool>(false);
    if (!elsewhere) return std::unexpected(elsewhere.error());
    if (*elsewhere) continue;
    if (auto one = SendSegment(name, there, sent); !one) return one;
  }
  return Flush();
}

Result<void> Forwarder::SendSegment(const std::string& name, const Sent& there, Sent sent) {
  const auto reader = SegmentReader::Open(folder_ + "/" + name);
  if (!reader && reader.error().kind == SegmentError::Kind::kSystem) {
    return std::unexpected(Error(reader.error()));
  }
  if (!reader) return {};  // empty so far, or damaged
  const SegmentHeader& header = reader->header();
  const bool same = sent.size == there.size && sent.changed == there.changed;
  sent.size = there.size;
  sent.changed = there.changed;
  const bool cut = static_cast<uint64_t>(there.size) < kSlotsBegin + header.slots * kSlotBytes;
  sent.may_grow = !cut && !(reader->mark() && reader->mark()->closed);
  // A cut segment was complete when its time was read.
  if (!same || !cut) {
    if (auto pieces = SendPieces(name, sent); !pieces) return pieces;
  }
  if (!same) {
    auto row =
        Put("INSERT INTO segments VALUES ($1, $2, $3, $4, $5)"
            " ON CONFLICT (name) DO UPDATE SET size = excluded.size, changed = excluded.changed",
            {std::string_view(name), std::string_view(header.job), sent.size, sent.changed,
             header.time});
    if (!row) return row;
  }
  sent_in_transaction_[name] = sent;
  return put_ < kMostRows ? Result<void>() : Flush();
}

Result<void> Forwarder::SendPieces(const std::string& name, Sent& sent) {
  auto file = OpenSegmentFile(folder_ + "/" + name);
  if (!file && file.error().kind == SegmentError::Kind::kSystem) {
    return std::unexpected(Error(file.error()));
  }
  if (!file) return {};  // it went away
  std::map<uint64_t, SentPiece>& pieces = sent.pieces;
  const bool goes_on = !pieces.empty();
  std::string bytes;
  for (uint64_t k = goes_on ? pieces.begin()->first : 0;; ++k) {
    bytes.resize(kPieceBytes);
    const auto got = (*file)(bytes.data(), bytes.size(), k * kPieceBytes);
    if (!got) return std::unexpected(got.error());
    bytes.resize(*got);
    const std::string_view piece = Trimmed(bytes, k);
    // A hole is damage: the first time, look for events after it.
    if (bytes.empty() || (piece.empty() && goes_on)) return {};
    if (piece.empty()) continue;
    const uint32_t checksum = Crc32(piece.data(), piece.size());
    const auto [known, is_new] = pieces.try_emplace(k);
    if (!is_new && known->second.checksum == checksum) continue;
    const bool may_wait = what_ == What::kDue && sent.may_grow && !is_new;
    if (may_wait && !known->second.IsDue(piece.size(), now_)) {
      if (piece.size() < kPieceBytes) return {};
      continue;  // only the mark in its header is another one
    }
    known->second = {.checksum = checksum, .bytes = piece.size(), .time = now_};
    if (pieces.size() > 2) pieces.erase(pieces.begin());
    auto put =
        Put("INSERT INTO pieces VALUES ($1, $2, $3)"
            " ON CONFLICT (segment, number) DO UPDATE SET bytes = excluded.bytes",
            {std::string_view(name), static_cast<int64_t>(k), Blob{piece}});
    if (!put) return put;
  }
}

Result<void> Forwarder::Put(const char* sql, const std::vector<Bound>& values) {
  if (!transaction_) {
    auto begun = Transaction::Begin(*db_, Access::kAppend);
    if (!begun) return std::unexpected(begun.error());
    transaction_.emplace(std::move(*begun));
  }
  ++put_;
  return db_->Run(sql, values);
}

Result<void> Forwarder::Flush() {
  if (transaction_) {
    if (auto done = transaction_->Commit(); !done) return done;
    transaction_.reset();
  }
  put_ = 0;
  for (auto& [name, sent] : sent_in_transaction_) sent_[name] = std::move(sent);
  sent_in_transaction_.clear();
  return {};
}

}  // namespace stepscope::goodput
