// Provides a ledger per test in the server of tests/postgres/real_postgres.sh, and stops the server
// and processes.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "goodput/ledger/postgres.h"
#include "tests/goodput_lines.h"
#include "tests/ledger.h"
#include "tests/shell.h"

namespace stepscope::testing {

inline std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A database of its own, without a ledger.
class GoodputPostgres : public LedgerTest {
 protected:
  GoodputPostgres() : LedgerTest(Variable("STEPSCOPE_POSTGRES")) {}

  void SetUp() override {
    if (store_.empty()) GTEST_SKIP() << "tests/postgres/real_postgres.sh starts the server for it";
    Forget();
  }

  void Forget() { Sql("DROP SCHEMA IF EXISTS stepscope CASCADE"); }

  // The first number of the answer; -1: there is none.
  int64_t Sql(const std::string& statement) {
    auto db = goodput::Postgres::Open(store_);
    if (!db) throw std::runtime_error(db.error().what);
    int64_t number = -1;
    const auto done = (*db)->Run(
        statement.c_str(), {}, [&](const goodput::Postgres::Row& row) { number = row.Integer(0); });
    if (!done) throw std::runtime_error(done.error().what);
    return number;
  }

  // Starts, or stops, the server.
  void Control(const std::string& what) {
    const std::string command =
        Variable("STEPSCOPE_POSTGRES_CTL") + " " + what + " >/dev/null 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }

  std::string Job(int64_t steps) const {
    std::string lines = Entry(At("job_start_time", 0));
    for (int64_t s = 0; s < steps; ++s) {
      lines += fmt::format("{{\"job_name\": \"j\", \"step_count\": {}, \"step_start_time\": {}}}\n",
                           s, 1780000000 + s);
    }
    return folder_.Write(fmt::format("steps-{}.jsonl", steps), lines);
  }

  // Starts the binary; writes its output to the file `output`.
  pid_t Start(const std::vector<std::string>& arguments) const {
    const std::string output = folder_.path() + "/output";
    const pid_t child = fork();
    if (child != 0) return child;
    const int out = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    ExecStepscope(arguments);
  }

  // The exit code; -1: it was killed.
  static int End(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string Output() const {
    std::ifstream in(folder_.path() + "/output");
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::vector<goodput::Event> Events() const {
    goodput::Notes note_counts;
    std::vector<goodput::Event> events = EventsIn(store_, "j", &note_counts);
    EXPECT_TRUE(note_counts.List().empty());
    return events;
  }

  std::mt19937 random_{20261121};
  void SleepUpTo(int microseconds) {
    usleep(std::uniform_int_distribution<useconds_t>(
        0, static_cast<useconds_t>(microseconds))(random_));
  }
};

}  // namespace stepscope::testing
