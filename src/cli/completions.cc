// stepscope completions SHELL: scripts that complete subcommands and options, made from the
// parser's own tables so that they cannot disagree with it.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "stepscope/session.h"

namespace stepscope::cli {
namespace {

struct Subcommand {
  std::string name, message;
  std::vector<std::string> flags;   // its own and those of its subcommands
  std::vector<std::string> nested;  // subcommands
};

void AddFlags(const CLI::App& command, std::vector<std::string>& flags) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  }
}

std::vector<Subcommand> Subcommands(const CLI::App& app) {
  std::vector<Subcommand> subcommands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    Subcommand& s = subcommands.emplace_back(
        Subcommand{command->get_name(), command->get_description(), {}, {}});
    AddFlags(*command, s.flags);
    for (const CLI::App* nested : command->get_subcommands([](const CLI::App*) { return true; })) {
      s.nested.push_back(nested->get_name());
      AddFlags(*nested, s.flags);
    }
  }
  return subcommands;
}

std::string Join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string AnalysisNames() {
  std::vector<std::string> names;
  for (const AnalysisInfo& analysis : Session::List()) names.push_back(analysis.name);
  return Join(names);
}

std::string Bash(const std::vector<Subcommand>& subcommands) {
  std::string names;
  std::string cases;
  for (const Subcommand& s : subcommands) {
    names += (names.empty() ? "" : " ") + s.name;
    cases += fmt::format("    {}) words=\"{}\" ;;\n", s.name,
                         Join(s.nested) + (s.nested.empty() ? "" : " ") + Join(s.flags));
  }
  return fmt::format(
      R"(# bash completion for stepscope: source it, or put it in /etc/bash_completion.d
_stepscope() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
  case "${{COMP_WORDS[1]}}" in
{}  esac
  case "$previous" in
    stepscope) words="{}" ;;
    --format) words="text json csv markdown" ;;
    --steps) words="all complete" ;;
    explain | --only) words="{}" ;;
    completions) words="bash zsh fish" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}}
complete -o filenames -F _stepscope stepscope
)",
      cases, names, AnalysisNames());
}

std::string Fish(const std::vector<Subcommand>& subcommands) {
  std::string text = "# fish completion for stepscope: put it in ~/.config/fish/completions\n";
  for (const Subcommand& s : subcommands) {
    text += fmt::format("complete -c stepscope -n __fish_use_subcommand -a {} -d '{}'\n", s.name,
                        s.message);
    for (const std::string& nested : s.nested) {
      text += fmt::format("complete -c stepscope -n '__fish_seen_subcommand_from {}' -a {}\n",
                          s.name, nested);
    }
    for (const std::string& flag : s.flags) {
      text += fmt::format("complete -c stepscope -n '__fish_seen_subcommand_from {}' -l {}\n",
                          s.name, flag.substr(2));
    }
  }
  return text +
         fmt::format("complete -c stepscope -n '__fish_seen_subcommand_from explain' -a '{}'\n",
                     AnalysisNames());
}

int Run(const CLI::App& app, const std::string& shell) {
  const auto subcommands = Subcommands(app);
  if (shell == "fish") {
    fmt::print("{}", Fish(subcommands));
  } else if (shell == "zsh") {
    fmt::print("autoload -U +X bashcompinit && bashcompinit\n{}", Bash(subcommands));
  } else {
    fmt::print("{}", Bash(subcommands));
  }
  return kDone;
}

}  // namespace

void AddCompletions(CLI::App& app, Command& chosen) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completions", "Print a completion script for a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer("\nExample:\n  source <(stepscope completions bash)\n");
  command->callback(
      [shell, &app, &chosen] { chosen = [shell, &app] { return Run(app, *shell); }; });
}

}  // namespace stepscope::cli
