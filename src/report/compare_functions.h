// Tells Python functions that only one of two runs has, where no other finding names them.
#pragma once

#include <vector>

#include "report/compare_lead.h"
#include "report/compare_new_functions.h"
#include "report/compare_recurring.h"
#include "report/compare_steps.h"
#include "stepscope/report.h"

namespace stepscope::comparison {

// Those that take time which counts in a step, without those of a library that compile: these are
// told as compilation.
std::vector<NewFunction> FunctionsThatCount(const ReportSet& a, const ReportSet& b,
                                            const StepComparison& steps);

// ns per step that these functions take on a rank beyond what its Python between operators grew by:
// in operators that they call.
double TimeInOperators(const std::vector<NewFunction>& functions, const StepComparison& steps);

// Adds a finding for each that no finding names. One that ranks call in turn takes the place of
// what is found of one of these ranks, and one that takes what `slow` steps take longer that of
// them. Returns ns per step that one rank spends in them at most.
double AddFunctionFindings(const ReportSet& b, const std::vector<NewFunction>& functions,
                           const StepComparison& steps, const SlowStepChange& slow, Report& report,
                           Leads& leads);

// Of functions that only the run before has, where no lead names them. One that ranks called in
// turn takes the place of what is told of one of them.
void AddGoneFunctions(const ReportSet& a, const std::vector<NewFunction>& functions,
                      const StepComparison& steps, Leads& leads);

}  // namespace stepscope::comparison
