// Implements the first sentence.
#include "report/compare_lead.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>

#include "report/findings.h"
#include "report/humanize.h"

namespace stepscope::comparison {
namespace {

constexpr double kMinShare = 0.03;  // of the longer step time, that is told
// Of the time of the first reason, from which another is told.
constexpr double kOfTheFirst = 0.2, kPartOfTheFirst = 0.5;
constexpr double kAll = 1.2;           // of the change, beyond which a part is told already
constexpr double kExplainsMost = 0.5;  // of the change
constexpr size_t kTold = 2;            // reasons

// "detect_language (t.py:41) is new on rank 0 since step 6 (99.6 ms more input per step, 171 ms in
// these steps)".
Phrase SayReason(const Reason& reason, const CategoryChange& category, Rank rank,
                 const Reach& reach, double change) {
  const std::string time = HumanTime(std::abs(change));
  Phrase amount = change < 0 ? Say("{time} less {category} per step", time, category.part)
                             : Say("{time} more {category} per step", time, category.part);
  if (!reach.when.empty())
    amount = Say("{amount}, {level} in these steps", amount, HumanTime(reach.level));
  return rank ? Say("{reason} on rank {rank}{when} ({amount})", reason.brief, *rank, reach.when,
                    amount)
              : Say("{reason}{when} ({amount})", reason.brief, reach.when, amount);
}

// "rank 0 takes 60.5 ms more input per step, 124 ms since step 6".
Phrase SayPart(const CategoryChange& category, Rank rank, const Reach& reach, double change) {
  const std::string time = HumanTime(std::abs(change));
  const Phrase when =
      reach.when.empty() ? Phrase() : Say(", {time}{when}", HumanTime(reach.level), reach.when);
  if (change < 0)
    return rank ? Say("rank {rank} takes {time} less {category} per step", *rank, time,
                      category.part)
                : Say("{category} fell by {time} per step", category.part, time);
  return rank ? Say("rank {rank} takes {time} more {category} per step{when}", *rank, time,
                    category.part, when)
              : Say("{category} grew by {time} per step{when}", category.part, time, when);
}

void Add(const Lead& lead, std::vector<Lead>& chosen) {
  if (chosen.size() == kTold) return;
  if (!chosen.empty()) {
    const double least = lead.is_part ? kPartOfTheFirst : kOfTheFirst;
    if (lead.time < least * chosen.front().time) return;
  }
  if (std::ranges::find(chosen, lead.clause, &Lead::clause) == chosen.end()) chosen.push_back(lead);
}

std::vector<Lead> ChooseMore(const ReportSet& compared, const StepComparison& steps,
                             const Leads& leads) {
  std::vector<Lead> chosen;
  for (const Finding* finding : FindingsInOrder(compared)) {
    if (!WorthALook(*finding)) continue;
    const auto at = std::ranges::find(leads.more, finding->message, &Lead::message);
    // What no lead tells, and costs most, must come first.
    if (at == leads.more.end()) {
      if (chosen.empty()) return {};
      continue;
    }
    if (at->time >= kMinShare * std::max(steps.a, steps.b)) Add(*at, chosen);
  }
  return chosen;
}

std::vector<Lead> ChooseLess(const StepComparison& steps, const Leads& leads) {
  std::vector<Lead> all = leads.less, chosen;
  std::ranges::stable_sort(all, std::ranges::greater{}, &Lead::time);
  for (const Lead& lead : all) {
    if (lead.time < kMinShare * std::max(steps.a, steps.b)) continue;
    // Parts have what functions and ranks took less.
    const bool is_told = lead.is_part && !chosen.empty() &&
                         chosen.front().time + lead.time > kAll * std::abs(steps.b - steps.a);
    if (!is_told) Add(lead, chosen);
  }
  return chosen;
}

Phrase SayClauses(const std::vector<Lead>& chosen) {
  Phrase said;
  for (const Lead& lead : chosen) said += (said.empty() ? "" : "; ") + lead.clause;
  return said;
}

// ", which explains 20.1 ms of 64.0 ms"; empty where it is most of the change.
Phrase SayRest(const std::vector<Lead>& chosen, const StepComparison& steps) {
  const double change = std::abs(steps.b - steps.a);
  double explained = 0;
  for (const Lead& lead : chosen) explained += lead.time;
  if (steps.IsNoise() || explained >= kExplainsMost * change) return {};
  return Say(", which explains {time} of {change}", HumanTime(explained), HumanTime(change));
}

First SayOf(const std::vector<Lead>& chosen, Phrase sentence) {
  First first{.sentence = std::move(sentence), .told = {}};
  for (const Lead& lead : chosen) first.told.push_back(lead.message);
  return first;
}

// Steps became shorter, though something takes longer.
First SayFell(const StepComparison& steps, std::vector<Lead> less, const std::vector<Lead>& more) {
  const std::string before = HumanTime(steps.a), after = HumanTime(steps.b),
                    change = HumanChange((steps.b - steps.a) / steps.a);
  const Phrase why = SayClauses(less), rest = SayRest(less, steps);
  if (more.empty())
    return SayOf(less, Say("Mean step time fell from {before} to {after} ({change}): {why}{rest}.",
                           before, after, change, why, rest));
  less.push_back(more.front());
  return SayOf(less, Say("Mean step time fell from {before} to {after} ({change}): {why}{rest}, "
                         "although {more}.",
                         before, after, change, why, rest, more.front().clause));
}

}  // namespace

Lead LeadOf(const Phrase& message, const Reason& reason, const CategoryChange& category, Rank rank,
            const Reach& reach, double change) {
  return {.message = message,
          .clause = reason.brief.empty() ? SayPart(category, rank, reach, change)
                                         : SayReason(reason, category, rank, reach, change),
          .time = std::abs(change),
          .is_part = !rank};
}

bool First::Tells(const Phrase& message) const {
  return std::ranges::find(told, message) != told.end();
}

First SayFirst(const ReportSet& compared, const StepComparison& steps, const Leads& leads) {
  if (!steps.known()) return {};
  const auto more = ChooseMore(compared, steps, leads), less = ChooseLess(steps, leads);
  const double growth = steps.b - steps.a;
  const bool counts =
      !steps.IsNoise() || std::abs(growth) >= kMinShare * std::max(steps.a, steps.b);
  const std::string before = HumanTime(steps.a), after = HumanTime(steps.b),
                    change = HumanChange(growth / steps.a);
  if (counts && growth < 0 && !less.empty()) return SayFell(steps, less, more);
  if (more.empty()) return {};
  if (counts && growth > 0)
    return SayOf(more, Say("Mean step time rose from {before} to {after} ({change}): {why}{rest}.",
                           before, after, change, SayClauses(more), SayRest(more, steps)));
  const Phrase why = SayClauses(more);
  return SayOf(
      more, steps.IsNoise()
                ? Say("Mean step time did not change beyond noise ({before} before, {after} after, "
                      "{change}), although {why}.",
                      before, after, change, why)
                : Say("Mean step time went from {before} to {after} ({change}), although {why}.",
                      before, after, change, why));
}

}  // namespace stepscope::comparison
