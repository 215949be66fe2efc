// Finds hangs, starts that fail, and ends that repeat.
#include <algorithm>
#include <map>

#include "base/time_units.h"
#include "goodput/report/findings.h"
#include "report/humanize.h"

namespace stepscope::goodput {
namespace {

constexpr std::string_view kWatch =
    "set a watchdog or a shorter timeout of collectives (NCCL: TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC, "
    "init_process_group(timeout=...)), and record the stacks of all ranks";
constexpr std::string_view kLetGo =
    "let the launcher end all ranks when one dies, and shorten the timeout of collectives "
    "(init_process_group(timeout=...)): nobody need wait for a dead rank";

constexpr int64_t kLong = 10 * kMinute;

int64_t HungTime(const AttemptAccount& a) {
  return a.times[static_cast<size_t>(Bucket::kHungStep)];
}

// "attempt 2 ended in step 40 after 9.9 min, in which rank 3 did not begin step 40"
Phrase HowItHung(const Partition& p, const AttemptAccount& a) {
  if (!a.last_step) return {};
  const Phrase ended =
      Say("attempt {attempt} ended in step {step} after {time}", &a - p.attempts.data() + 1,
          *a.last_step, HumanTime(static_cast<double>(HungTime(a))));
  if (a.cause.starts_with(kKilled)) {
    return Say("{ended}, in which the others waited for a process that was {killed}", ended,
               a.cause);
  }
  return a.behind.empty() ? ended : Say("{ended}, in which {behind}", ended, a.behind);
}

}  // namespace

std::optional<Finding> HungSteps(const Partition& p, int64_t counted) {
  const int64_t hung = p.At(Bucket::kHungStep);
  const double ratio =
      static_cast<double>(hung) / static_cast<double>(std::max<int64_t>(1, counted));
  if (hung == 0 || (ratio < kMinReported && hung < kMinute)) return std::nullopt;
  size_t hangs = 0;
  const AttemptAccount* longest = nullptr;
  for (const AttemptAccount& a : p.attempts) {
    if (HungTime(a) == 0) continue;
    ++hangs;
    if (longest == nullptr || HungTime(a) > HungTime(*longest)) longest = &a;
  }
  // Nothing hung where the others waited for a dead process.
  const bool killed = longest != nullptr && longest->cause.starts_with(kKilled);
  const Phrase where = longest == nullptr ? Phrase() : HowItHung(p, *longest);
  const Phrase attempts = Plural(hangs, "attempt");
  return Finding{.severity = Severity::kHigh,
                 .message = Say("Hung steps are {amount}.", Amount(hung, ratio)),
                 .because = hangs == 1 ? killed ? Say("{attempts} waited: {where}", attempts, where)
                                                : Say("{attempts} hung: {where}", attempts, where)
                            : killed
                                ? Say("{attempts} waited; the longest: {where}", attempts, where)
                                : Say("{attempts} hung; the longest: {where}", attempts, where),
                 .hint = killed ? kLetGo : kWatch,
                 .impact = hung,
                 .table = "buckets"};
}

const AttemptAccount* HungInSpan(const Partition& p) {
  const AttemptAccount* longest = nullptr;
  for (const AttemptAccount& a : p.attempts) {
    if (a.ended || a.open_time < kLong || a.cause.starts_with(kException)) continue;
    if (longest == nullptr || a.open_time > longest->open_time) longest = &a;
  }
  return longest;
}

const AttemptAccount* HungAfterSteps(const Partition& p, const StepClock& clock) {
  const int64_t step = clock.median().value_or(0);
  const AttemptAccount* longest = nullptr;
  for (const AttemptAccount& a : p.attempts) {
    const bool is_long = a.after_steps >= kLong && a.after_steps / 10 >= step;
    if (a.ended || !is_long || a.cause.starts_with(kException)) continue;
    if (longest == nullptr || a.after_steps > longest->after_steps) longest = &a;
  }
  return longest;
}

Finding NoStepFinding(const Partition& p, const AttemptAccount& a) {
  return {.severity = Severity::kHigh,
          .message =
              a.running
                  ? Say("No step began for {time} after the last one ended: the job may hang.",
                        HumanTime(static_cast<double>(a.after_steps)))
                  : Say("No step began for {time} after the last one ended: the job may have hung.",
                        HumanTime(static_cast<double>(a.after_steps))),
          .because = Say("attempt {attempt} went on after step {step}", &a - p.attempts.data() + 1,
                         a.last_step.value_or(0)),
          .hint = kWatch,
          .impact = a.after_steps,
          .table = "buckets"};
}

bool MostlyFailed(const Partition& p, const StepClock& clock, Bucket bucket) {
  int64_t failed = 0;
  for (const AttemptAccount& a : p.attempts) {
    const bool by_exception = !a.ended && a.cause.starts_with(kException);
    if (a.open_bucket == bucket && by_exception) failed += a.open_time;
  }
  if (const AttemptAccount* a = HungInSpan(p); a != nullptr && a->open_bucket == bucket) {
    failed += a->open_time;
  }
  if (const AttemptAccount* a = HungAfterSteps(p, clock);
      a != nullptr && bucket == Bucket::kOther) {
    failed += a->after_steps;
  }
  return failed > p.At(bucket) / 2;
}

Finding SpanFinding(const Partition& p, const AttemptAccount& a) {
  return {.severity = Severity::kHigh,
          .message =
              Say("{span} did not end for {time}: it may have hung.",
                  a.open_type.empty() ? Phrase(LossName(a.open_bucket)) : Phrase::Name(a.open_type),
                  HumanTime(static_cast<double>(a.open_time))),
          .because = a.cause.empty()
                         ? Say("attempt {attempt} ended in it", &a - p.attempts.data() + 1)
                         : Say("attempt {attempt} ended in it: {cause}", &a - p.attempts.data() + 1,
                               a.cause),
          .hint = kWatch,
          .impact = a.open_time,
          .table = "attempts"};
}

namespace {

// Attempts that ended before their first step.
struct Failed {
  int64_t times = 0, by_exception = 0, cost = 0;
  std::map<Phrase, int64_t> reasons;  // how many of each, if it is known
};

Failed FailedOf(const Partition& p) {
  Failed failed;
  for (const Disruption& d : p.disruption_list) {
    if (!d.made_no_step) continue;
    ++failed.times;
    failed.cost += d.cost();
    failed.by_exception += d.reason.starts_with(kException) ? 1 : 0;
    if (!d.reason.empty()) ++failed.reasons[d.reason];
  }
  return failed;
}

// "; each: exception X", or the most frequent reason of several.
Phrase ReasonsText(const Failed& failed) {
  if (failed.reasons.empty()) return {};
  const auto& [reason, times] =
      *std::ranges::max_element(failed.reasons, {}, [](const auto& r) { return r.second; });
  if (times == failed.times) return Say("; each: {reason}", reason);
  return Say("; {count} of {all}: {reason}", times, failed.times, reason);
}

std::string_view HintOf(const Failed& failed) {
  if (failed.by_exception == 0) {
    return "check nodes before the job starts; exclude nodes on which starts failed";
  }
  return failed.by_exception == failed.times
             ? "mend what the exception names: another start meets it again"
             : "mend what the exceptions name; for the other starts, check nodes before the job "
               "starts";
}

}  // namespace

std::optional<Finding> FailedStarts(const Partition& p) {
  const Failed failed = FailedOf(p);
  if (failed.times < 2) return std::nullopt;
  return Finding{.severity = Severity::kHigh,
                 .message = Say("{count} attempts ended before their first step.", failed.times),
                 .because = Say("they cost {time} in total{reasons}",
                                HumanTime(static_cast<double>(failed.cost)), ReasonsText(failed)),
                 .hint = HintOf(failed),
                 .impact = failed.cost,
                 .table = "disruptions"};
}

std::optional<Finding> FailedStart(const Partition& p) {
  if (p.attempts.size() != 1 || p.running) return std::nullopt;
  const AttemptAccount& a = p.attempts.front();
  if (a.ended || a.last_step || !a.reason.starts_with(kException)) return std::nullopt;
  return Finding{
      .severity = Severity::kHigh,
      .message = Say("The job ended before its first step: {reason}.", a.reason),
      .because = Say("it lasted {time}", HumanTime(static_cast<double>(a.end - a.start))),
      .hint = "mend what the exception names: another start meets it again",
      .impact = std::max<int64_t>(1, p.total()),
      .table = "buckets"};
}

bool OnlyOfFailedStarts(const Partition& p, Bucket bucket) {
  const bool starts = bucket == Bucket::kAcceleratorInit || bucket == Bucket::kTrainingPrep ||
                      bucket == Bucket::kRestore || bucket == Bucket::kDataLoading;
  return starts && std::ranges::all_of(p.attempts, [&](const AttemptAccount& a) {
           const bool failed = !a.running && !a.ended && !a.last_step;
           return failed || a.times[static_cast<size_t>(bucket)] == 0;
         });
}

std::optional<Finding> SameEnd(const Partition& p) {
  constexpr size_t kFewest = 3;
  if (p.attempts.empty()) return std::nullopt;
  const AttemptAccount& last = p.attempts.back();
  if (!last.cause.starts_with(kException) || !last.last_step) return std::nullopt;
  const auto is_same = [&](const AttemptAccount& a) {
    return a.reason == last.reason && a.last_step == last.last_step;
  };
  size_t first = p.attempts.size();
  while (first > 0 && is_same(p.attempts[first - 1])) --first;
  const size_t times = p.attempts.size() - first;
  if (times < kFewest) return std::nullopt;
  int64_t cost = 1;
  for (const Disruption& d : p.disruption_list) {
    if (d.attempt >= first) cost += d.cost();
  }
  return Finding{.severity = Severity::kHigh,
                 .message = Say("{count} attempts in a row ended in step {step}: {reason}.", times,
                                *last.last_step, last.reason),
                 .because = Say("they cost {time} in total", HumanTime(static_cast<double>(cost))),
                 .hint = "mend the program or the data of this step: another start meets it again",
                 .impact = cost,
                 .table = "disruptions"};
}

}  // namespace stepscope::goodput
