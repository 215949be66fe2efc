// stepscope brief, show, table: parts of an answer, for assistants and scripts with little room.
#include "stepscope/select.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/answer.h"
#include "cli/redact_flags.h"
#include "cli/root.h"
#include "cli/table_names.h"
#include "stepscope/redact.h"

namespace stepscope::cli {
namespace {

struct SelectFlags {
  std::string what;  // an id or a table
  std::vector<std::string> paths;
  Question question;
  RedactFlags redact;
  RowQuery query;
  int64_t budget = kUsualBudget, top = 20;
};

int Print(const Result<std::string>& text) {
  if (!text) return Fail(text.error());
  fmt::print("{}", *text);
  return kDone;
}

// What an assistant reads leaves the machine. Ids are the same in all three commands.
Result<ReportSet> Ask(const SelectFlags& flags, Question question) {
  question.redact = RedactionOf(flags.redact);
  if (question.redact) question.redact->key = MachineKey();
  return Answer(flags.paths, question);
}

int RunBrief(const SelectFlags& flags) {
  const auto answer = Ask(flags, flags.question);
  if (!answer) return Fail(answer.error());
  return Print(Brief(*answer, static_cast<size_t>(flags.budget)));
}

int RunShow(const SelectFlags& flags) {
  const auto answer = Ask(flags, flags.question);
  if (!answer) return Fail(answer.error());
  return Print(ShowById(*answer, flags.what, static_cast<size_t>(flags.budget)));
}

// A table needs its own analysis only; findings and the list of tables need all.
int RunTable(const SelectFlags& flags) {
  Question question = flags.question;
  if (flags.what != "findings" && flags.what != "tables")
    question.only = {flags.what.substr(0, flags.what.find('.'))};
  const auto answer = Ask(flags, std::move(question));
  if (!answer) return Fail(answer.error());
  RowQuery query = flags.query;
  query.table = flags.what;
  query.top = static_cast<size_t>(flags.top);
  query.budget = static_cast<size_t>(flags.budget);
  return Print(SelectRows(*answer, query));
}

void AddBudget(Command& command, int64_t& budget) {
  command.Take("--budget", budget).Range(100, 1'000'000);
}

constexpr const char* kPaths = "Traces: files, or directories";

}  // namespace

void AddBrief(Command& root) {
  auto flags = std::make_shared<SelectFlags>();
  Command& command = root.Sub("brief", "Report causes and their ids in few words");
  command.Argument("PATH", flags->paths, kPaths);
  AddBudget(command, flags->budget);
  AddSelection(command, flags->question);
  AddRedaction(command, flags->redact);
  command.Examples({{"what to know first, in 2,000 tokens", "stepscope brief traces/"},
                    {"shorter", "stepscope brief traces/ --budget 500"}});
  command.Runs([flags] { return RunBrief(*flags); });
}

void AddShow(Command& root) {
  auto flags = std::make_shared<SelectFlags>();
  Command& command = root.Sub("show", "Print one finding or row by its id");
  command.Argument("ID", flags->what, "An id that brief or table printed");
  command.Argument("PATH", flags->paths, kPaths);
  AddBudget(command, flags->budget);
  AddSelection(command, flags->question);
  AddRedaction(command, flags->redact);
  command.Examples({{"a finding with its evidence", "stepscope show compute#e242 traces/"},
                    {"a row with all its columns", "stepscope show kernels.top#81c09f3e traces/"}});
  command.Runs([flags] { return RunShow(*flags); });
}

void AddTable(Command& root) {
  auto flags = std::make_shared<SelectFlags>();
  Command& command = root.Sub("table", "Print rows of one table as CSV, with ids");
  command.Argument("NAME", flags->what, "Table: analysis.table, an analysis, findings, or tables")
      .Suggestions(TableNames());
  command.Argument("PATH", flags->paths, kPaths);
  command.Take("--where", flags->query.where);
  command.Take("--columns", flags->query.columns);
  command.Take("--sort", flags->query.sort);
  command.Take("--top", flags->top).Range(1, 1'000'000);
  command.Take("--after", flags->query.after);
  AddBudget(command, flags->budget);
  AddSelection(command, flags->question);
  AddRedaction(command, flags->redact);
  command.Examples(
      {{"what one rank does", "stepscope table kernel_breakdown.kernels traces/ --where rank=3"},
       {"the longest kernels",
        "stepscope table kernels traces/ --sort total --top 5 --columns name,total"},
       {"rows that meet two conditions",
        "stepscope table stragglers traces/ --where 'lost>1ms' --where since_step=2"},
       {"all findings", "stepscope table findings traces/"},
       {"the names of all tables", "stepscope table tables traces/"}});
  command.Runs([flags] { return RunTable(*flags); });
}

}  // namespace stepscope::cli
