// Compares counts and times of kernels and operators.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/compare_steps.h"
#include "stepscope/compare.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// Count and time of a kernel or operator on one side.
struct Usage {
  int64_t count = 0, time = 0;
  double Mean() const { return static_cast<double>(time) / static_cast<double>(count); }
};

struct BothSides {
  Usage a, b;
  std::string kind = {};  // of a kernel, as ColumnKindName()
  bool replaced = false;  // it stands for two kernels: one that ran before, one after
  int64_t Change() const { return b.time - a.time; }
};

using Usages = std::map<std::string, BothSides>;

// The sums over the ranks of both runs, by name; kernels without what is only in their template
// arguments and parameters if `short_names`, and with the one that took over its calls if
// `join_replaced`.
Usages CompareKernels(const ReportSet& a, const ReportSet& b, const CompareOptions& options);
Usages CompareOperators(const ReportSet& a, const ReportSet& b);
// Operators by the shapes of their inputs.
Usages CompareShapes(const ReportSet& a, const ReportSet& b);

Table UsageTable(std::string key, Phrase title, const Usages& usages);

// Operators, calls of the runtime and annotations, with their time on the host: what is inside them
// counts, so that rows do not add up.
Table HostTable(const ReportSet& a, const ReportSet& b);

int64_t Total(const Usages& usages, Usage BothSides::* side);

// What sums of two runs are divided by: 1, or the number of steps of their ranks.
struct Amounts {
  double a = 1, b = 1;
  bool per_step = false;

  double ChangeOf(const BothSides& both) const {
    return static_cast<double>(both.b.time) / b - static_cast<double>(both.a.time) / a;
  }
};
Amounts AmountsOf(const ReportSet& a, const ReportSet& b);

// What is known beside the kernels of what made steps longer.
struct KernelContext {
  bool one_factor = false;  // SlowerByOneFactor() of all ranks
  // A finding says which calls are more, or what else takes longer: as many collectives wait for
  // that.
  bool collectives_wait = false;
  bool ranks_differ =
      false;  // RanksDiffer(): a collective may wait for ranks that are not compared
};

// Adds the kernel whose time rose most, if that matters, kernels of its kind rose in sum, and steps
// not only by noise.
void AddKernelFinding(Report& report, const Usages& kernels, const Amounts& amounts,
                      const StepComparison& steps, const KernelContext& context);

// Adds the shape whose slower calls cost most, if that matters: calls that communicate aside, which
// may only wait. `kernels` are those of CompareKernels().
void AddShapeFinding(Report& report, const Usages& shapes, const Usages& kernels,
                     const Amounts& amounts, bool one_factor);

}  // namespace stepscope::comparison
