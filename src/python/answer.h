// Holds an answer for Python: the reports of one question.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "stepscope/report.h"

namespace stepscope::python {

// Its tables hold the answer too, so that each may outlive the other.
class Answer {
 public:
  explicit Answer(ReportSet reports)
      : reports_(std::make_shared<const ReportSet>(std::move(reports))) {}

  const ReportSet& get() const { return *reports_; }
  const std::shared_ptr<const ReportSet>& shared() const { return reports_; }

 private:
  std::shared_ptr<const ReportSet> reports_;
};

// The answer; what the input lacks, such as step 99, is an error for programs: raises
// QuestionError.
Answer FoundOrRaise(ReportSet reports);

// A value of a report: int, float, str or None.
nanobind::object ValueOf(const Cell& cell);

}  // namespace stepscope::python
