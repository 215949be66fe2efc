// Collects dependencies: moments in any order, and edges between them.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/paths/dependency_graph.h"

namespace stepscope {

// How moments of one time follow one another. Edges against this order are not believed.
enum class Order : uint8_t { kFirst, kWorkEnd, kHost, kWorkStart, kEmptyWorkEnd, kLast };

class DependencyDraft {
 public:
  // The moment the window begins at, which stands for all that was before.
  static constexpr uint32_t kOrigin = 0;

  explicit DependencyDraft(const PathWindow& window);

  const PathWindow& window() const { return window_; }

  // Makes room for about so many.
  void Reserve(size_t moments, size_t edges);
  // A moment, or kOrigin if it is not after the window's start.
  uint32_t AddMoment(int64_t time, Order order);

  // The lag of an edge that decides is known from its moments. Of one that does not, `lag` says
  // what it would cost if it did; kUsual: as much as edges of its reason usually cost.
  static constexpr int64_t kUsual = -1;
  void AddEdge(uint32_t from, uint32_t to, const Edge& edge);

  // The number of edges so far, and one of them, by its number among them.
  uint32_t edges() const { return static_cast<uint32_t>(edges_.size()); }
  const Edge& EdgeAt(uint32_t e) const { return edges_[e]; }

  void CountGuess() { ++out_.guessed_waits; }

  Dependencies Finish();

 private:
  struct Moment {
    int64_t time;
    uint64_t order;  // order << 32 | number of the moment in the draft
  };

  std::vector<uint32_t> SortMoments();
  void PlaceEdges(const std::vector<uint32_t>& place);
  void PutDecidingFirst();
  void SettleLags();

  PathWindow window_;
  std::vector<Moment> moments_;
  std::vector<Edge> edges_;
  std::vector<uint32_t> to_;  // of each edge
  Dependencies out_;
};

// The host's moments, and where to find them.
class HostMoments {
 public:
  // Adds the moments of every thread that has operators or launches work, and the edges between
  // them. `draft` must outlive this.
  HostMoments(const RankActivity& rank, const StringTable& names, DependencyDraft& draft);

  // The moment at which something begins or ends on a thread; kNowhere if there is none such.
  uint32_t At(uint32_t thread, int64_t time) const;
  // Where threads are known to wait for records: in waits that stacks tell, and in the operators
  // that compiled programs wait in. By thread, then start; apart from one another. Only where
  // processors compute.
  const std::vector<HostWait>& waits() const { return waits_; }
  // The first moment of a thread at this time or after it; kNowhere if there is none.
  uint32_t NextAt(uint32_t thread, int64_t time) const;
  // When the longest stretch of a thread without a moment ends, of those between these times.
  int64_t EndOfLongest(uint32_t thread, int64_t start, int64_t end) const;
  // A stretch of a thread in which it may have waited: in no call, and in no operator but those
  // that may (MayWait).
  struct Quiet {
    uint32_t thread = kNowhere;
    uint32_t until = kNowhere;         // the moment that ends it
    int64_t start = 0, end = 0;        // ns
    StringId followed_by = kNoString;  // what goes on then
  };
  // The stretches around a time, of all threads, that are longer than `least` ns.
  std::vector<Quiet> QuietAt(int64_t time, int64_t least, const HostOps& host,
                             const StringTable& names) const;
  // The last moment of each thread that has any, and of the window's thread the one at its end.
  std::vector<uint32_t> Last() const;

 private:
  struct Thread {
    std::vector<int64_t> times;  // ascending, each once; the first is the window's start
    std::vector<uint8_t> quiet;  // whether the time before each was outside any operator and call
    uint32_t first = 0;          // the moment of times[1]; the others follow
    uint32_t first_edge = 0;     // of the draft, that ends in that moment; the others follow
    bool works = false;
    bool takes = false;  // tasks that other threads hand to it, as the recording says
  };

  uint32_t MomentOf(const Thread& thread, size_t i) const;
  void FindWorking(const RankActivity& rank);
  void FindWaits(const RankActivity& rank, const StringTable& names);
  void CollectTimes(const RankActivity& rank);
  // What the thread did before times[i]. REQUIRES: i > 0.
  const Edge& SliceBefore(const Thread& thread, size_t i) const {
    return draft_.EdgeAt(thread.first_edge + static_cast<uint32_t>(i - 1));
  }
  void AddThread(const HostOps& host, const RangeLinks& loading, uint32_t t, size_t first,
                 size_t last, DependencyDraft& draft);
  void AddThreads(const RankActivity& rank, const StringTable& names, DependencyDraft& draft);
  bool EndsWait(const HandOver& h) const;
  void AddRecordedHandOvers(const HostOps& host, DependencyDraft& draft);
  void GuessWaits(const HostOps& host, DependencyDraft& draft);
  void AddHandOvers(DependencyDraft& draft);

  const DependencyDraft& draft_;
  PathWindow window_;
  std::vector<Thread> threads_;
  std::vector<HostWait> waits_;
  std::vector<std::vector<uint32_t>> calls_;  // of each working thread, by start
};

// Adds the moments of collectives and messages where processors compute, and their edges: from the
// call that posted each, and to where a thread waited for it.
void AddRecordMoments(const RankActivity& rank, const StringTable& names, const HostMoments& host,
                      DependencyDraft& draft);

// Adds the device's moments and all edges from and to them.
void AddDeviceMoments(const RankActivity& rank, const StringTable& names, const HostMoments& host,
                      DependencyDraft& draft);

}  // namespace stepscope
