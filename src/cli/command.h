// Defines commands and options as data: the command line is parsed, explained, completed and
// documented from this one tree.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "stepscope/result.h"

namespace stepscope::cli {

// Exit codes.
inline constexpr int kDone = 0;
inline constexpr int kConditionHolds = 1;  // of --fail-on
inline constexpr int kFailed = 2;

struct Option {
  // How values are told apart.
  enum class Arity : uint8_t {
    kSwitch,    // no value
    kOne,       // one value, given once
    kRepeated,  // one value each time
    kCommas,    // values between commas
    kWords,     // all words up to the next option
  };

  std::string names;   // "--steps" or "-o,--output"; an argument has no dashes: "PATH"
  std::string value;   // what help calls the value: "TIME"; empty for a switch
  std::string help;    // one line without a period
  std::string preset;  // the default as a user writes it; empty: none
  std::string group;   // the heading it stands under in help; empty: the general one
  Arity arity = Arity::kOne;
  bool required = false;
  std::string excludes;                  // the option that cannot be given with this one
  std::vector<std::string> needs;        // the options without which this one means nothing
  std::vector<std::string> choices;      // the only values
  std::vector<std::string> suggestions;  // for completions; other values are fine
  std::optional<std::pair<double, double>> range;
  std::function<Result<double>(std::string_view)> number;  // how a number is read; absent for text
  std::function<Result<void>(const std::string&)> store;   // called once per value

  bool is_argument() const { return !names.starts_with('-'); }
  // "--output" of "-o,--output".
  std::string long_name() const;

  // Each changes what the vocabulary says, for one command.
  Option& Help(std::string text);
  Option& Value(std::string name);
  Option& Default(std::string text);
  Option& Choices(std::vector<std::string> values);
  Option& Suggestions(std::vector<std::string> values);
  Option& Range(double low, double high);
  Option& Excludes(std::string name);
  Option& Needs(std::string name);
  Option& Required();
  Option& Optional();  // of an argument
};

struct Example {
  std::string meaning;
  std::string line;  // as typed, on one line
};

// A command with its options, or a group of subcommands.
class Command {
 public:
  Command(std::string path, std::string about);
  Command(const Command&) = delete;  // options point into what they fill
  Command& operator=(const Command&) = delete;

  Command& Sub(std::string_view name, std::string about);
  Command& Examples(std::initializer_list<Example> examples);
  Command& Notes(std::string text);  // paragraphs that help ends with
  // The options that follow stand under this heading.
  Command& Group(std::string heading);
  // Returns the exit code. Runs after the options were stored.
  void Runs(std::function<int()> run);

  // Options of the vocabulary; throws std::logic_error for a name it does not know. `into` outlives
  // the command.
  Option& Take(std::string_view name, std::string& into);
  Option& Take(std::string_view name, std::vector<std::string>& into);
  Option& Take(std::string_view name, double& into);
  Option& Take(std::string_view name, std::optional<double>& into);
  Option& Take(std::string_view name, std::vector<double>& into);
  Option& Take(std::string_view name, int& into);
  Option& Take(std::string_view name, int64_t& into);
  Option& Take(std::string_view name, uint64_t& into);
  Option& Take(std::string_view name, std::optional<int64_t>& into);
  Option& Take(std::string_view name, std::vector<int64_t>& into);
  Option& Switch(std::string_view name, bool& into, bool to = true);
  // Calls `store` with each value.
  Option& TakeEach(std::string_view name, std::function<Result<void>(const std::string&)> store);
  // A value without an option before it.
  Option& Argument(std::string name, std::string& into, std::string help);
  Option& Argument(std::string name, std::vector<std::string>& into, std::string help);
  // What follows "--" at the end is for another program, and help calls it `name`; else it would be
  // arguments.
  void AfterDashes(std::string name, std::vector<std::string>& into);

  const std::string& path() const { return path_; }  // "stepscope goodput analyze"
  std::string name() const;                          // "report"
  const std::string& about() const { return about_; }
  const std::string& notes() const { return notes_; }
  const std::vector<std::unique_ptr<Command>>& subcommands() const { return subcommands_; }
  const std::vector<std::unique_ptr<Option>>& options() const { return options_; }
  const std::vector<Example>& examples() const { return examples_; }
  const Command* FindSub(std::string_view name) const;
  const std::string& after_dashes() const { return after_dashes_; }  // empty: nothing special
  void StoreAfterDashes(const std::vector<std::string>& words) const { store_after_dashes_(words); }
  int Run() const { return run_(); }

 private:
  Option& Add(Option option);
  Option& AddNumber(std::string_view name, std::function<void(double)> set);
  Option& AddWhole(std::string_view name, std::function<void(int64_t)> set);

  std::string path_, about_, notes_, group_;
  std::vector<std::unique_ptr<Command>> subcommands_;
  std::vector<std::unique_ptr<Option>> options_;  // which callers hold on to
  std::vector<Example> examples_;
  std::function<int()> run_;
  std::string after_dashes_;
  std::function<void(const std::vector<std::string>&)> store_after_dashes_;
};

}  // namespace stepscope::cli
