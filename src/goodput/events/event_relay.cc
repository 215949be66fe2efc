// Passes batches between two threads in a ring. Most events differ from the previous one only in a
// few numbers; then only these are copied.
#include "goodput/events/event_relay.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace stepscope::goodput {
namespace {

constexpr size_t kRows = 8192;                    // of a batch
constexpr size_t kFull = 1024;                    // and full events
constexpr size_t kTextBytes = size_t{256} << 10;  // a batch with more text than this is full
constexpr size_t kBatches = 4;
constexpr size_t kPause = 100'000;  // events without thread after a batch of mostly full ones

// An event as its difference from a full one. Kept small, since passing bytes between processors
// costs more than computing them.
struct Row {
  int64_t time;
  int32_t further;  // its step minus the full one's
  uint32_t full;    // index of the full one
};
// Present if the event has either.
struct Numbering {
  int64_t monotonic, sequence;
};

bool HasNumbers(const Event& event) {
  return event.monotonic != kUnknown || event.sequence != kUnknown;
}

// Differences of steps; wrap around, and back.
int64_t Further(int64_t from, int64_t to) {
  return static_cast<int64_t>(static_cast<uint64_t>(to) - static_cast<uint64_t>(from));
}
int64_t StepAt(int64_t from, int64_t further) {
  return static_cast<int64_t>(static_cast<uint64_t>(from) + static_cast<uint64_t>(further));
}

// Whether a row can represent the event. Lists all members, so that a new one cannot be
// forgotten.
bool IsRowOf(const Event& event, const Event& full, int64_t full_step) {
  const auto& [kind, time, monotonic, received, job, attempt, writer, sequence, step, counts, text,
               times] = event;
  return kind == full.kind && received == full.received && job == full.job &&
         attempt == full.attempt && writer == full.writer && text == full.text &&
         std::ranges::equal(counts, full.counts) && times == full.checkpoint &&
         std::in_range<int32_t>(Further(full_step, step)) && HasNumbers(event) == HasNumbers(full);
}

class Batch {
 public:
  bool empty() const { return rows_.empty(); }
  bool is_full() const {
    return rows_.size() >= kRows || full_.size() >= kFull || text_bytes_ >= kTextBytes;
  }
  // Whether it is full, mostly of full events.
  bool is_dear() const { return is_full() && rows_.size() < 4 * full_.size(); }

  void Add(const Event& event) {
    last_ = FullOf(event);
    const int64_t further = Further(full_[last_].step, event.step);
    rows_.push_back({event.time, static_cast<int32_t>(further), static_cast<uint32_t>(last_)});
    if (HasNumbers(event)) numberings_.push_back({event.monotonic, event.sequence});
  }

  void TakeAll(const EventSink& sink) {
    size_t numbered = 0;
    for (const Row& row : rows_) {
      auto& [event, step] = full_[row.full];
      if (HasNumbers(event)) {
        event.monotonic = numberings_[numbered].monotonic;
        event.sequence = numberings_[numbered++].sequence;
      }
      event.time = row.time;
      event.step = StepAt(step, row.further);
      sink(event);
    }
  }

  void Clear() {
    rows_.clear();
    numberings_.clear();
    full_.clear();  // their texts too, which may be long
    recent_.fill(0);
    last_ = text_bytes_ = 0;
  }

 private:
  struct Full {
    Event event;
    int64_t step;  // the event's own step; `event.step` changes with rows
  };

  bool IsRowOfFull(const Event& event, size_t full) const {
    return full < full_.size() && IsRowOf(event, full_[full].event, full_[full].step);
  }

  // Finds or adds the full event for a row: mostly the last one, or the latest of its kind and
  // writer.
  size_t FullOf(const Event& event) {
    if (IsRowOfFull(event, last_)) return last_;
    const size_t hash = std::hash<std::string>()(event.writer) + static_cast<size_t>(event.kind);
    size_t& recent = recent_[hash % recent_.size()];
    if (IsRowOfFull(event, recent)) return recent;
    recent = full_.size();
    full_.push_back({event, event.step});
    for (const std::string* text : {&event.job, &event.attempt, &event.writer, &event.text}) {
      text_bytes_ += text->size();
    }
    return recent;
  }

  std::vector<Row> rows_;
  std::vector<Numbering> numberings_;
  std::vector<Full> full_;
  std::array<size_t, 64> recent_{};  // of them, by a hash
  size_t last_ = 0;                  // that of the last row
  size_t text_bytes_ = 0;
};

}  // namespace

// The batch being filled belongs to the giving thread; earlier ones, back to the last consumed one,
// to the consuming thread. A batch without events marks the end.
class EventRelay::Thread {
 public:
  explicit Thread(const EventSink& sink) : taker_([this, &sink] { TakeBatches(sink); }) {}

  ~Thread() {
    if (!taker_.joinable()) return;
    abandoned_ = true;
    filled_.release();
  }

  // False: the thread is not worthwhile.
  bool Give(const Event& event) {
    current().Add(event);
    if (current().is_dear()) return false;
    if (current().is_full()) Ship();
    return true;
  }

  void Finish() {
    if (!current().empty()) Ship();
    filled_.release();
    taker_.join();
    ThrowWhatTheSinkDid();
  }

 private:
  Batch& current() { return ring_[shipped_ % kBatches]; }

  void Ship() {
    ++shipped_;
    filled_.release();
    free_.acquire();
    ThrowWhatTheSinkDid();
  }

  void ThrowWhatTheSinkDid() const {
    if (failed_) std::rethrow_exception(failure_);
  }

  void TakeBatches(const EventSink& sink) {
    for (size_t taken = 0;; ++taken) {
      filled_.acquire();
      Batch& batch = ring_[taken % kBatches];
      if (abandoned_ || batch.empty()) return;
      if (!failed_) Take(batch, sink);
      batch.Clear();
      free_.release();
    }
  }

  void Take(Batch& batch, const EventSink& sink) {
    try {
      batch.TakeAll(sink);
    } catch (...) {
      failure_ = std::current_exception();
      failed_ = true;
    }
  }

  std::array<Batch, kBatches> ring_;
  size_t shipped_ = 0;
  std::counting_semaphore<> filled_{0};
  std::counting_semaphore<> free_{kBatches - 1};
  std::atomic<bool> abandoned_ = false;
  std::atomic<bool> failed_ = false;  // from then on `failure_` stays
  std::exception_ptr failure_;
  std::jthread taker_;  // uses all of the above
};

EventRelay::EventRelay(const EventSink& sink, size_t alone) : sink_(sink), alone_(alone) {}

EventRelay::~EventRelay() = default;

size_t EventRelay::WhenWorthwhile() {
  static const bool several = std::thread::hardware_concurrency() > 1;
  return several ? kDefault : kNever;
}

void EventRelay::Give(const Event& event) {
  if (alone_ > 0) {
    if (alone_ != kNever) --alone_;
    return sink_(event);
  }
  if (!thread_) thread_ = std::make_unique<Thread>(sink_);
  if (thread_->Give(event)) return;
  thread_->Finish();
  thread_.reset();
  alone_ = kPause;
}

void EventRelay::Finish() {
  if (thread_) thread_->Finish();
}

}  // namespace stepscope::goodput
