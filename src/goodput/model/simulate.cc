// Simulates cycles between completed restarts, which are independent. The standard error is that of
// a ratio of sums over such cycles (Crane and Lemoine, An introduction to the regenerative method,
// 1977).
#include "goodput/model/simulate.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace stepscope::goodput {
namespace {

constexpr int64_t kMostRestartsTried = 50;  // per success, on average; more means never
constexpr int64_t kFewestWithWork = 30;     // with fewer cycles the error is unreliable

// From one successful restart to the end of the next.
struct Cycle {
  double work_s = 0;
  double time_s = 0;
};

class FailureProcess {
 public:
  FailureProcess(const Parameters& p, const SimulateOptions& options)
      : p_(p),
        mtbf_s_(1 / p.failures_per_s),
        random_(options.seed, 0),
        restarts_left_(kMostRestartsTried * options.failures) {}

  bool gave_up() const { return restarts_left_ <= 0; }

  Cycle Next() {
    const double fails_after_s = random_.Exponential() * mtbf_s_;
    const bool announced = random_.Fraction() < p_.announced_share;
    Cycle cycle{Rescued(fails_after_s, announced), fails_after_s};
    if (announced) cycle.time_s += p_.emergency_save_s;
    cycle.time_s += Restart();
    return cycle;
  }

 private:
  // The work that survives the failure.
  double Rescued(double fails_after_s, bool announced) const {
    const double first_s = p_.interval_s + p_.save_s;
    const double later_s = std::max(first_s, p_.persist_s);  // a save waits for the one before it
    double saves = 0, since_s = fails_after_s;               // since the end of the last save
    if (fails_after_s >= first_s) {
      const double later = std::floor((fails_after_s - first_s) / later_s);
      saves = 1 + later;
      since_s = fails_after_s - first_s - later * later_s;
    }
    if (announced) return saves * p_.interval_s + std::min(since_s, p_.interval_s);
    const bool last_is_lost = saves > 0 && since_s < p_.persist_s;
    return (saves - (last_is_lost ? 1 : 0)) * p_.interval_s;
  }

  double Restart() {
    double time_s = 0;
    while (--restarts_left_ > 0) {
      const bool spare = random_.Fraction() < p_.spare_share;
      const double needs_s = (spare ? p_.swap_s : p_.reschedule_s) + p_.restart_s;
      const double fails_after_s = random_.Exponential() * mtbf_s_;
      time_s += std::min(needs_s, fails_after_s);
      if (fails_after_s >= needs_s) break;
    }
    return time_s;
  }

  const Parameters& p_;
  double mtbf_s_;
  Random random_;
  int64_t restarts_left_;
};

// The ratio of two sums and its standard error.
class RatioOfSums {
 public:
  void Add(const Cycle& s) {
    ++count_;
    if (s.work_s > 0) ++with_work_;
    work_ += s.work_s;
    time_ += s.time_s;
    work_work_ += s.work_s * s.work_s;
    work_time_ += s.work_s * s.time_s;
    time_time_ += s.time_s * s.time_s;
  }

  std::optional<Simulated> Get() const {
    if (with_work_ < kFewestWithWork) return std::nullopt;
    const double ratio = work_ / time_;
    const double spread = work_work_ - 2 * ratio * work_time_ + ratio * ratio * time_time_;
    const double n = static_cast<double>(count_);
    return Simulated{ratio, std::sqrt(std::max(0.0, spread) * n / (n - 1)) / time_, count_};
  }

 private:
  int64_t count_ = 0, with_work_ = 0;
  double work_ = 0, time_ = 0, work_work_ = 0, work_time_ = 0, time_time_ = 0;
};

}  // namespace

std::optional<Simulated> Simulate(const Parameters& p, const SimulateOptions& options) {
  if (p.failures_per_s <= 0 || options.failures < 2) return std::nullopt;
  FailureProcess process(p, options);
  RatioOfSums sums;
  for (int64_t i = 0; i < options.failures; ++i) {
    sums.Add(process.Next());
    if (process.gave_up()) return std::nullopt;
  }
  return sums.Get();
}

}  // namespace stepscope::goodput
