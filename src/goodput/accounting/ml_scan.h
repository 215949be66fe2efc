// Performs the reference library's one pass over its log.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "goodput/accounting/ml_answer.h"
#include "goodput/events/event.h"

namespace stepscope::goodput {

// An entry of the log.
struct MlRecord {
  EventKind kind = EventKind::kNone;
  int64_t what = 0;  // the step; of custom and wait events the label; of checkpoints the index
  double time = 0;   // NaN: the entry's first time is null
};

// A custom event that began and ended.
struct MlCustom {
  double start = 0, end = 0;
  size_t label = 0;
};

class MlScan {
 public:
  // With `exclusions`, even none, by the rules of the query that takes them. `customs` are ordered
  // by start.
  MlScan(std::span<const MlRecord> log, std::span<const MlCustom> customs,
         const std::vector<SecondsInterval>* exclusions);

  // The custom events of a log.
  static std::vector<MlCustom> Customs(std::span<const MlRecord> log);

  // All but what checkpoints take.
  MlAnswer Run(const std::vector<std::string>& labels);

  std::optional<double> first_job_start, last_job_end;

 private:
  // The steps since the last disruption, in the order of the log.
  struct Segment {
    std::vector<std::pair<int64_t, double>> steps;
    bool ascending = true;
    std::unordered_set<int64_t> seen;  // once not ascending

    bool Contains(int64_t step) const;
    void Append(int64_t step, double time);
    std::pair<int64_t, double> Largest() const;
  };

  void TakeStep(int64_t step, double time);
  void TakeSpan(const MlRecord& record);
  void TakeLoading(double duration);
  void CloseSegment(int64_t resume);
  double Kept(double start, double end);
  double Excluded(double start, double end);
  double TakeCustoms(double start, double end);
  double& Bucket(Badput b) { return answer_.badput[static_cast<size_t>(b)]; }

  std::span<const MlRecord> log_;
  std::span<const MlCustom> customs_;
  const std::vector<SecondsInterval>* exclusions_;
  double longest_custom_ = 0;
  // Steps times custom events, as in the library, but bounded.
  static constexpr int64_t kMostLooks = 200'000'000;
  int64_t looks_ = 0;
  Segment segment_;
  std::optional<double> job_start_;
  std::map<std::pair<EventKind, int64_t>, double> open_;
  std::vector<SecondsInterval> init_and_prep_[2], reinits_;
  std::vector<double> by_label_;
  std::vector<bool> used_label_;
  std::optional<double> pending_load_;
  bool next_load_blocks_ = true;
  double loading_ = 0;
  MlAnswer answer_;
};

}  // namespace stepscope::goodput
