// Builds what every part of a comparison shares: the columns and cells of two sides, and metrics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"

namespace stepscope::comparison {

bool IsNumber(const Cell& cell);
double NumberOf(const Cell& cell);  // REQUIRES: IsNumber(cell)

// The columns of a compared number: before, after, change, and change ratio (keys X_a, X_b,
// X_change, X_change_ratio). People see both sides and the relative change. Ratios show no change,
// and identifiers such as a rank have none.
std::vector<Column> Sides(const Column& column);
std::vector<Cell> SideCells(const Cell& a, const Cell& b, Unit unit);

// Whether Python's functions were recorded.
bool RecordedPython(const ReportSet& answer);

// A metric's number; 0 where there is none.
double MetricOf(const ReportSet& answer, std::string_view analysis, std::string_view metric);

// A metric's text; empty where there is none.
std::string TextOf(const ReportSet& answer, std::string_view analysis, std::string_view metric);

}  // namespace stepscope::comparison
