// Adds the device's moments: starts and ends of activities, their launches, and waits of device and
// host.
#include <algorithm>
#include <tuple>

#include "facts/activity/stream_waits.h"
#include "facts/paths/dependency_draft.h"

namespace stepscope {
namespace {

// Between two streams a wait that no record shows is only guessed where it explains this much.
constexpr int64_t kWorthGuessing = 5'000;  // ns
// How many activities that ended during a wait of the host are tried as its reason.
constexpr int kTries = 64;

Bound BoundOf(Kind kind) {
  if (kind == Kind::kCompute) return Bound::kCompute;
  return kind == Kind::kCommunication ? Bound::kCommunication : Bound::kMemory;
}

bool IsBlocking(CallRole role) {
  return role == CallRole::kStreamSync || role == CallRole::kDeviceSync ||
         role == CallRole::kEventSync;
}

// Work of the window: its place in the rank, and its moments.
struct Piece {
  uint32_t index = 0;  // into RankActivity::activities
  uint32_t start = kNowhere, end = kNowhere;
  bool followed = false;  // by later work on its stream that counts: it is not the last of all
};

struct ById {
  int64_t id;
  uint32_t index;
};
// The index with this id; of several the first; kNowhere if there is none.
uint32_t Find(const std::vector<ById>& sorted, int64_t id) {
  const auto at = std::ranges::lower_bound(sorted, id, {}, &ById::id);
  return at == sorted.end() || at->id != id ? kNowhere : at->index;
}

class DeviceSide {
 public:
  DeviceSide(const RankActivity& rank, const StringTable& names, const HostMoments& host,
             DependencyDraft& draft)
      : rank_(rank), names_(names), host_(host), draft_(draft), window_(draft.window()) {}

  void Add() {
    AddPieces();
    SortLaunches();
    IndexSyncs();
    AddLaunches();
    AddKnownWaits();
    AddStreamOrder();
    AddHostWaits();
    AddEnd();
  }

 private:
  void AddPieces();
  void SortLaunches();
  void IndexSyncs();
  void AddLaunches();
  void AddCopyWait(const Piece& piece, const Call& call);
  void AddKnownWaits();
  void AddStreamOrder();
  void AddHostWaits();
  void AddEnd();

  // An edge into the start of `piece`.
  Edge Before(const Piece& piece, Bound bound, Reason reason) const {
    const auto call = rank_.CallOf(ActivityOf(piece));
    return {.lag = DependencyDraft::kUsual,
            .bound = bound,
            .reason = reason,
            .name = ActivityOf(piece).name,
            .activity = piece.index,
            .range = !call ? kNoRange : call->range};
  }
  [[gnu::always_inline]] Activity ActivityOf(const Piece& piece) const {
    return rank_.activities[piece.index];
  }
  uint32_t StreamOf(int64_t device, int64_t stream) const;
  uint32_t LastLaunched(uint32_t stream, int64_t before) const;
  uint32_t AwaitedByRecord(const Call& call, const SyncRecord& record) const;
  uint32_t AwaitedByTime(const Call& call) const;
  bool MayWait(const Piece& piece, const Piece* before) const;
  void GuessWait(const Piece& piece, const Piece* before, const Piece* awaited);
  void AddUnselected(const Piece& piece, int64_t known_until);

  const RankActivity& rank_;
  const StringTable& names_;
  const HostMoments& host_;
  DependencyDraft& draft_;
  const PathWindow window_;

  std::vector<Piece> pieces_;                 // by start
  std::vector<uint32_t> ends_;                // the pieces by end
  std::vector<std::vector<uint32_t>> queue_;  // of each stream, its launched pieces by launch
  std::vector<ById> syncs_;                   // by correlation: those that are not of streams
  std::vector<ById> event_records_;           // by correlation: the calls
  std::vector<int64_t> stream_waits_;         // when the calls began, ascending
  bool waits_are_recorded_ = false;
};

void DeviceSide::AddPieces() {
  for (uint32_t w = 0; w < rank_.activities.size(); ++w) {
    const Activity& activity = rank_.activities[w];
    if (rank_.IsOfHost(activity)) continue;
    const bool here = activity.end > window_.start || activity.start >= window_.start;
    if (here && activity.end <= window_.end) pieces_.push_back({w});
  }
  for (uint32_t p = 0; p < pieces_.size(); ++p) {
    Piece& piece = pieces_[p];
    const Activity& activity = ActivityOf(piece);
    piece.start = draft_.AddMoment(activity.start, Order::kWorkStart);
    piece.end = draft_.AddMoment(activity.end,
                                 activity.duration() > 0 ? Order::kWorkEnd : Order::kEmptyWorkEnd);
    draft_.AddEdge(piece.start, piece.end, Before(piece, BoundOf(activity.kind), Reason::kRunning));
    ends_.push_back(p);
  }
  std::ranges::sort(ends_, {},
                    [&](uint32_t p) { return std::pair(ActivityOf(pieces_[p]).end, p); });
}

void DeviceSide::SortLaunches() {
  queue_.resize(rank_.streams.size());
  for (uint32_t p = 0; p < pieces_.size(); ++p) {
    if (ActivityOf(pieces_[p]).launched != kNoTime)
      queue_[ActivityOf(pieces_[p]).stream].push_back(p);
  }
  for (auto& queue : queue_) {
    std::ranges::stable_sort(queue, {},
                             [&](uint32_t p) { return ActivityOf(pieces_[p]).launched; });
  }
}

void DeviceSide::IndexSyncs() {
  waits_are_recorded_ = RecordsStreamWaits(rank_, names_);
  for (uint32_t s = 0; s < rank_.syncs.size(); ++s) {
    const SyncRecord& sync = rank_.syncs[s];
    if (sync.correlation > 0 && !IsStreamWait(sync, names_))
      syncs_.push_back({sync.correlation, s});
  }
  const auto& calls = rank_.host->calls;
  for (uint32_t c = 0; c < calls.size(); ++c) {
    if (calls[c].role == CallRole::kEventRecord && calls[c].correlation > 0) {
      event_records_.push_back({calls[c].correlation, c});
    }
    if (calls[c].role == CallRole::kStreamWait) stream_waits_.push_back(calls[c].start);
  }
  std::ranges::stable_sort(syncs_, {}, &ById::id);
  std::ranges::stable_sort(event_records_, {}, &ById::id);
}

// Work starts after the call that launched it has returned, or, if it started earlier, begun.
void DeviceSide::AddLaunches() {
  for (const Piece& piece : pieces_) {
    const auto call = rank_.CallOf(ActivityOf(piece));
    if (!call) continue;
    const bool returned = ActivityOf(piece).start >= call->end;
    const uint32_t from = host_.At(call->thread, returned ? call->end : call->start);
    if (from != kNowhere)
      draft_.AddEdge(from, piece.start, Before(piece, Bound::kLaunch, Reason::kLaunch));
    AddCopyWait(piece, *call);
  }
}

// A copying call that returns after its copy has waited for it; one that returns while it runs,
// for its start: the pages are handed over by the call itself.
void DeviceSide::AddCopyWait(const Piece& piece, const Call& call) {
  if (call.role != CallRole::kCopy || ActivityOf(piece).start >= call.end) return;
  const uint32_t to = host_.At(call.thread, call.end);
  if (to == kNowhere) return;
  const bool done = ActivityOf(piece).end <= call.end;
  draft_.AddEdge(done ? piece.end : piece.start, to,
                 {.lag = DependencyDraft::kUsual,
                  .bound = done ? Bound::kSync : Bound::kLaunch,
                  .reason = Reason::kSync,
                  .name = call.name,
                  .thread = call.thread,
                  .range = call.range});
}

uint32_t DeviceSide::StreamOf(int64_t device, int64_t stream) const {
  const auto key = [](const Stream& s) { return std::pair(s.device, s.stream); };
  const auto at = std::ranges::lower_bound(rank_.streams, std::pair(device, stream), {}, key);
  if (at == rank_.streams.end() || key(*at) != std::pair(device, stream)) return kNowhere;
  return static_cast<uint32_t>(at - rank_.streams.begin());
}

// The piece that was put on a stream last, before a time; kNowhere if there is none.
uint32_t DeviceSide::LastLaunched(uint32_t stream, int64_t before) const {
  if (stream == kNowhere) return kNowhere;
  const auto& queue = queue_[stream];
  const auto after = std::ranges::lower_bound(
      queue, before, {}, [&](uint32_t p) { return ActivityOf(pieces_[p]).launched; });
  return after == queue.begin() ? kNowhere : *std::prev(after);
}

void DeviceSide::AddKnownWaits() {
  const auto piece_of = [&](uint32_t activity) {
    const auto at = std::ranges::lower_bound(pieces_, activity, {}, &Piece::index);
    return at == pieces_.end() || at->index != activity ? nullptr : &*at;
  };
  for (const StreamWait& wait : StreamWaitsOf(rank_, names_)) {
    const Piece *waiting = piece_of(wait.waiting), *awaited = piece_of(wait.awaited);
    if (waiting == nullptr || awaited == nullptr) continue;
    draft_.AddEdge(awaited->end, waiting->start,
                   Before(*waiting, Bound::kKernelGap, Reason::kWait));
  }
}

// Whether something makes it likely that `piece` had to wait for another stream: the waits inside
// a graph are not recorded, others leave a call between the launches of a stream, if calls of
// that kind were recorded at all. A partial has what its recording had.
bool DeviceSide::MayWait(const Piece& piece, const Piece* before) const {
  if (rank_.condensed && waits_are_recorded_) return false;
  const auto call = rank_.CallOf(ActivityOf(piece));
  if (!call || call->role == CallRole::kGraphLaunch) return true;
  if (waits_are_recorded_) return false;
  if (stream_waits_.empty()) return true;
  const int64_t since = before == nullptr ? kNoTime : ActivityOf(*before).launched;
  const auto wait = std::ranges::lower_bound(stream_waits_, since);
  return wait != stream_waits_.end() && *wait <= call->start;
}

void DeviceSide::GuessWait(const Piece& piece, const Piece* before, const Piece* awaited) {
  if (awaited == nullptr) return;
  int64_t known = window_.start;
  if (before != nullptr) known = std::max(known, ActivityOf(*before).end);
  const auto call = rank_.CallOf(ActivityOf(piece));
  if (call) {
    known = std::max(known, call->end <= ActivityOf(piece).start ? call->end : call->start);
  }
  if (ActivityOf(*awaited).end - known < kWorthGuessing || !MayWait(piece, before)) return;
  draft_.AddEdge(awaited->end, piece.start, Before(piece, Bound::kKernelGap, Reason::kWait));
  draft_.CountGuess();
}

// Work of steps that were not selected is not here, but the stream was busy with it.
void DeviceSide::AddUnselected(const Piece& piece, int64_t known_until) {
  const int64_t until = ActivityOf(piece).free_since;
  const bool unknown = until > std::max(known_until, window_.start);
  if (!unknown || until > ActivityOf(piece).start) return;
  const uint32_t moment = draft_.AddMoment(until, Order::kWorkEnd);
  draft_.AddEdge(DependencyDraft::kOrigin, moment, {});
  draft_.AddEdge(moment, piece.start, Before(piece, Bound::kKernelGap, Reason::kStream));
}

void DeviceSide::AddStreamOrder() {
  struct Latest {  // to end on a device, and the latest on another stream than that
    uint32_t piece = kNowhere, other = kNowhere;
  };
  std::vector<uint32_t> on_stream(rank_.streams.size(), kNowhere);
  std::vector<Latest> on_device(rank_.devices.size());
  const auto stream_of = [&](uint32_t p) { return ActivityOf(pieces_[p]).stream; };
  size_t ended = 0;
  for (uint32_t p = 0; p < pieces_.size(); ++p) {
    const Piece& piece = pieces_[p];
    for (; ended < ends_.size(); ++ended) {
      const uint32_t e = ends_[ended];
      if (ActivityOf(pieces_[e]).end > ActivityOf(piece).start || e >= p) break;
      on_stream[stream_of(e)] = e;
      Latest& latest = on_device[rank_.streams[stream_of(e)].device_index];
      if (latest.piece != kNowhere && stream_of(latest.piece) != stream_of(e)) {
        latest.other = latest.piece;
      }
      latest.piece = e;
    }
    const uint32_t before = on_stream[ActivityOf(piece).stream];
    if (before != kNowhere) {
      draft_.AddEdge(pieces_[before].end, piece.start,
                     Before(piece, Bound::kKernelGap, Reason::kStream));
      if (ActivityOf(pieces_[before]).end < ActivityOf(piece).start)
        pieces_[before].followed = window_.Counts(ActivityOf(piece));
    }
    const Piece* previous = before == kNowhere ? nullptr : &pieces_[before];
    AddUnselected(piece, previous == nullptr ? kNoTime : ActivityOf(*previous).end);
    const Latest& latest = on_device[rank_.streams[ActivityOf(piece).stream].device_index];
    const bool own =
        latest.piece != kNowhere && stream_of(latest.piece) == ActivityOf(piece).stream;
    const uint32_t awaited = own ? latest.other : latest.piece;
    GuessWait(piece, previous, awaited == kNowhere ? nullptr : &pieces_[awaited]);
  }
}

uint32_t DeviceSide::AwaitedByRecord(const Call& call, const SyncRecord& record) const {
  const bool event = call.role == CallRole::kEventSync;
  const uint32_t recorded = event ? Find(event_records_, record.wait_correlation) : kNowhere;
  const int64_t before = recorded == kNowhere ? call.start : rank_.host->calls[recorded].start;
  return LastLaunched(StreamOf(record.device, event ? record.wait_stream : record.stream), before);
}

// The last activity to end before the call did that was launched before it.
uint32_t DeviceSide::AwaitedByTime(const Call& call) const {
  const auto end_of = [&](uint32_t p) { return ActivityOf(pieces_[p]).end; };
  auto at = std::ranges::upper_bound(ends_, call.end, {}, end_of);
  for (int tries = 0; tries < kTries && at != ends_.begin(); ++tries) {
    const Activity& activity = ActivityOf(pieces_[*--at]);
    if (activity.end <= call.start) return kNowhere;
    const int64_t began = activity.launched == kNoTime ? activity.start : activity.launched;
    if (began < call.start) return *at;
  }
  return kNowhere;
}

void DeviceSide::AddHostWaits() {
  for (const Call& call : rank_.host->calls) {
    if (!IsBlocking(call.role) || call.end <= window_.start || call.end > window_.end) continue;
    const uint32_t record = call.correlation == 0 ? kNowhere : Find(syncs_, call.correlation);
    const bool names_stream = record != kNowhere && call.role != CallRole::kDeviceSync;
    const uint32_t awaited =
        names_stream ? AwaitedByRecord(call, rank_.syncs[record]) : AwaitedByTime(call);
    if (awaited == kNowhere || ActivityOf(pieces_[awaited]).end <= call.start) continue;
    const uint32_t to = host_.At(call.thread, call.end);
    if (to == kNowhere) continue;
    draft_.AddEdge(pieces_[awaited].end, to,
                   {.lag = DependencyDraft::kUsual,
                    .bound = Bound::kSync,
                    .reason = Reason::kSync,
                    .name = call.name,
                    .thread = call.thread,
                    .range = call.range});
  }
}

// The window ends when all that counts has ended.
void DeviceSide::AddEnd() {
  const uint32_t end = draft_.AddMoment(window_.end, Order::kLast);
  for (const Piece& piece : pieces_) {
    if (!piece.followed && window_.Counts(ActivityOf(piece))) draft_.AddEdge(piece.end, end, {});
  }
  for (const uint32_t moment : host_.Last()) {
    if (moment != kNowhere) draft_.AddEdge(moment, end, {});
  }
}

}  // namespace

void AddDeviceMoments(const RankActivity& rank, const StringTable& names, const HostMoments& host,
                      DependencyDraft& draft) {
  DeviceSide(rank, names, host, draft).Add();
}

}  // namespace stepscope
