// stepscope man: the manual page in roff.
#include <fmt/format.h>

#include <string>

#include "base/ascii.h"
#include "cli/help.h"
#include "cli/root.h"

namespace stepscope::cli {
namespace {

// A text in which roff finds nothing to obey.
std::string Roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool starts_line = out.empty() || out.back() == '\n';
    if (starts_line && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\' || c == '-') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out;
}

void PrintOption(const Option& option) {
  fmt::print(".TP\n.B {}\n{}\n", Roff(Spelling(option)), Roff(Explanation(option)));
}

void PrintExamples(const Command& command) {
  for (const auto& [meaning, line] : command.examples()) {
    fmt::print(".PP\n{}:\n.PP\n.nf\n    {}\n.fi\n", Roff(meaning), Roff(line));
  }
  if (!command.notes().empty()) fmt::print(".PP\n{}\n", Roff(command.notes()));
}

void PrintCommand(const Command& command) {
  if (!command.subcommands().empty()) {
    for (const auto& sub : command.subcommands()) PrintCommand(*sub);
    return;
  }
  fmt::print(".SH {}\n{}.\n.PP\n.B {}\n", Roff(Upper(command.path().substr(10))),
             Roff(command.about()), Roff(Usage(command)));
  for (const auto& option : command.options()) PrintOption(*option);
  if (const std::string notes = ValueNotes(command); !notes.empty()) {
    fmt::print(".PP\n{}\n", Roff(notes));
  }
  PrintExamples(command);
}

int PrintManual(const Command& root) {
  fmt::print(".TH STEPSCOPE 1 \"\" \"stepscope {}\"\n.SH NAME\nstepscope \\- {}\n",
             STEPSCOPE_VERSION, Roff(root.about()));
  fmt::print(".SH SYNOPSIS\n.B {}\n", Roff(Usage(root)));
  PrintExamples(root);
  for (const auto& command : root.subcommands()) PrintCommand(*command);
  fmt::print(
      ".SH ENVIRONMENT\n.TP\n.B STEPSCOPE_TOKEN\nToken of servers and senders, if no option names "
      "one\n.TP\n.B NO_COLOR\nPrint text without color\n");
  return kDone;
}

}  // namespace

void AddMan(Command& root) {
  Command& command = root.Sub("man", "Print the manual page in roff");
  command.Examples({{"read with: stepscope man | man -l -", "stepscope man"}});
  command.Runs([&root] { return PrintManual(root); });
}

}  // namespace stepscope::cli
