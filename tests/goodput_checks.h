// Reads the published numbers of ../shared/goodput/checks.json and queries the model with them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "stepscope/goodput_model.h"
#include "tests/shared_data.h"

namespace stepscope::testing {

using Json = nlohmann::json;
using Options = GoodputModelOptions;

inline constexpr double kHourS = 3600, kMinuteS = 60, kDayS = 86400, kNs = 1e9;

inline const Report* FindReport(const ReportSet& answer, const std::string& name) {
  for (const Report& report : answer.reports) {
    if (report.analysis == name) return &report;
  }
  ADD_FAILURE() << "no report " << name;
  return nullptr;
}

inline double Number(const Cell& cell) {
  if (const auto* whole = std::get_if<int64_t>(&cell)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  ADD_FAILURE() << "no number";
  return NAN;
}

// What was asked and answered, and how to read numbers from it.
class Answered {
 public:
  explicit Answered(const Options& options) : Answered(ModelGoodput(options)) {}
  explicit Answered(Result<ReportSet> answer) : answer_(std::move(answer)) {
    if (!answer_) ADD_FAILURE() << answer_.error().what << " " << answer_.error().where;
  }

  double Metric(const std::string& report, const std::string& key) const {
    const Report* found = answer_ ? FindReport(*answer_, report) : nullptr;
    if (found == nullptr) return NAN;
    for (const auto& metric : found->metrics) {
      if (metric.key == key) return Number(metric.value);
    }
    ADD_FAILURE() << "no metric " << key;
    return NAN;
  }

  double InTable(const std::string& report, const std::string& table, const Cell& row,
                 const std::string& column) const {
    const Report* found = answer_ ? FindReport(*answer_, report) : nullptr;
    if (found == nullptr) return NAN;
    for (const Table& t : found->tables) {
      for (size_t c = 0; t.key == table && c < t.columns.size(); ++c) {
        if (t.columns[c].key != column) continue;
        for (const auto& cells : t.rows) {
          if (cells[0] == row) return Number(cells[c]);
        }
      }
    }
    ADD_FAILURE() << "no cell " << table << " " << column;
    return NAN;
  }

  // Whether a finding contains `text` in its message or evidence.
  bool HasFinding(const std::string& report, const std::string& text) const {
    const Report* found = answer_ ? FindReport(*answer_, report) : nullptr;
    if (found == nullptr) return false;
    for (const Finding& finding : found->findings) {
      if ((finding.message + " " + finding.because).contains(text)) return true;
    }
    return false;
  }

 private:
  Result<ReportSet> answer_;
};

// The checks, and what has been reproduced of each.
class ChecksTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto path = Shared("goodput/checks.json");
    std::ifstream in(path);
    if (!in) GTEST_SKIP() << "no published goodput numbers were tested: there is no " << path;
    for (Json& check : Json::parse(in)) {
      const std::string id = check["id"];
      checks_[id] = check;
    }
  }

  const Json& Input(const std::string& id) { return checks_.at(id)["input"]; }

  // Ours, in the unit of the check: what was computed apart from us, and what was published.
  void Reproduces(const std::string& id, double ours) {
    const Json& check = checks_.at(id);
    Reproduces(id, ours, check["computed"]);
    if (!check["published"].is_number() || !check["tolerance"].is_number()) return;
    EXPECT_NEAR(ours, check["published"].get<double>(), check["tolerance"].get<double>()) << id;
  }

  // One of several numbers of a check.
  void Reproduces(const std::string& id, double ours, const Json& computed) {
    ASSERT_TRUE(computed.is_number()) << id;
    EXPECT_NEAR(ours, computed.get<double>(), 1e-9 * std::fabs(computed.get<double>())) << id;
    done_.insert(id);
  }

  void ExpectDone(const std::vector<std::string>& prefixes) {
    for (const auto& [id, check] : checks_) {
      for (const std::string& prefix : prefixes) {
        EXPECT_TRUE(!id.starts_with(prefix) || done_.contains(id)) << id << " was not reproduced";
      }
    }
  }

  std::map<std::string, Json> checks_;
  std::set<std::string> done_;
};

}  // namespace stepscope::testing
