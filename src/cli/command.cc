// Builds the tree of commands, and reads values into their variables.
#include "cli/command.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/quantity.h"
#include "cli/vocabulary.h"

namespace stepscope::cli {
namespace {

Result<double> ReadWhole(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return static_cast<double>(value);
  return std::unexpected(Error{"cannot read '" + std::string(text) + "' as a whole number", "",
                               error == std::errc::result_out_of_range
                                   ? "give a smaller number"
                                   : "write digits only, such as 8"});
}

// How numbers of this name are written.
Result<double> (*ReaderOf(std::string_view value))(std::string_view) {
  if (value.starts_with("TIME")) return ReadDuration;
  if (value.starts_with("SHARE")) return ReadShare;
  return ReadNumber;
}

Option FromVocabulary(std::string_view name) {
  const Word* word = FindWord(name);
  if (word == nullptr) throw std::logic_error("no such option: " + std::string(name));
  Option option{.names = std::string(word->names),
                .value = std::string(word->value),
                .help = std::string(word->help),
                .preset = std::string(word->preset)};
  if (option.value.empty()) option.arity = Option::Arity::kSwitch;
  return option;
}

// For options that fill a list.
Option::Arity ArityOfList(std::string_view value) {
  if (value.ends_with(",...")) return Option::Arity::kCommas;
  return value.ends_with("...") ? Option::Arity::kWords : Option::Arity::kRepeated;
}

}  // namespace

std::string Option::long_name() const { return names.substr(names.find(',') + 1); }

Option& Option::Help(std::string text) {
  help = std::move(text);
  return *this;
}

Option& Option::Value(std::string name) {
  value = std::move(name);
  if (!is_argument() && arity != Arity::kSwitch && arity != Arity::kOne) arity = ArityOfList(value);
  return *this;
}

Option& Option::Default(std::string text) {
  preset = std::move(text);
  return *this;
}

Option& Option::Choices(std::vector<std::string> values) {
  choices = std::move(values);
  return *this;
}

Option& Option::Suggestions(std::vector<std::string> values) {
  suggestions = std::move(values);
  return *this;
}

Option& Option::Range(double low, double high) {
  range = {low, high};
  return *this;
}

Option& Option::Excludes(std::string name) {
  excludes = std::move(name);
  return *this;
}

Option& Option::Needs(std::string name) {
  needs.push_back(std::move(name));
  return *this;
}

Option& Option::Required() {
  required = true;
  return *this;
}

Option& Option::Optional() {
  required = false;
  return *this;
}

Command::Command(std::string path, std::string about)
    : path_(std::move(path)), about_(std::move(about)) {}

Command& Command::Sub(std::string_view name, std::string about) {
  subcommands_.push_back(
      std::make_unique<Command>(path_ + " " + std::string(name), std::move(about)));
  return *subcommands_.back();
}

Command& Command::Examples(std::initializer_list<Example> examples) {
  examples_ = examples;
  return *this;
}

Command& Command::Notes(std::string text) {
  notes_ = std::move(text);
  return *this;
}

Command& Command::Group(std::string heading) {
  group_ = std::move(heading);
  return *this;
}

void Command::Runs(std::function<int()> run) { run_ = std::move(run); }

std::string Command::name() const { return path_.substr(path_.rfind(' ') + 1); }

const Command* Command::FindSub(std::string_view name) const {
  for (const auto& command : subcommands_) {
    if (command->name() == name) return command.get();
  }
  return nullptr;
}

Option& Command::Add(Option option) {
  option.group = group_;
  options_.push_back(std::make_unique<Option>(std::move(option)));
  return *options_.back();
}

Option& Command::TakeEach(std::string_view name,
                          std::function<Result<void>(const std::string&)> store) {
  Option option = FromVocabulary(name);
  option.arity = ArityOfList(option.value);
  option.store = std::move(store);
  return Add(std::move(option));
}

Option& Command::Take(std::string_view name, std::string& into) {
  Option option = FromVocabulary(name);
  option.store = [&into](const std::string& text) -> Result<void> {
    into = text;
    return {};
  };
  return Add(std::move(option));
}

Option& Command::Take(std::string_view name, std::vector<std::string>& into) {
  return TakeEach(name, [&into](const std::string& text) -> Result<void> {
    into.push_back(text);
    return {};
  });
}

Option& Command::AddNumber(std::string_view name, std::function<void(double)> set) {
  Option option = FromVocabulary(name);
  const auto read = ReaderOf(option.value);
  option.number = read;
  option.store = [read, set = std::move(set)](const std::string& text) -> Result<void> {
    const auto value = read(text);
    if (!value) return std::unexpected(value.error());
    set(*value);
    return {};
  };
  return Add(std::move(option));
}

Option& Command::AddWhole(std::string_view name, std::function<void(int64_t)> set) {
  Option option = FromVocabulary(name);
  option.number = ReadWhole;
  option.store = [set = std::move(set)](const std::string& text) -> Result<void> {
    if (const auto value = ReadWhole(text); !value) return std::unexpected(value.error());
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    set(value);
    return {};
  };
  return Add(std::move(option));
}

Option& Command::Take(std::string_view name, double& into) {
  return AddNumber(name, [&into](double value) { into = value; });
}

Option& Command::Take(std::string_view name, std::optional<double>& into) {
  return AddNumber(name, [&into](double value) { into = value; });
}

Option& Command::Take(std::string_view name, std::vector<double>& into) {
  Option& option = AddNumber(name, [&into](double value) { into.push_back(value); });
  option.arity = ArityOfList(option.value);
  return option;
}

Option& Command::Take(std::string_view name, int& into) {
  return AddWhole(name, [&into](int64_t value) { into = static_cast<int>(value); })
      .Range(-2147483648.0, 2147483647.0);
}

Option& Command::Take(std::string_view name, int64_t& into) {
  return AddWhole(name, [&into](int64_t value) { into = value; });
}

Option& Command::Take(std::string_view name, uint64_t& into) {
  return AddWhole(name, [&into](int64_t value) { into = static_cast<uint64_t>(value); })
      .Range(0, 9.2e18);
}

Option& Command::Take(std::string_view name, std::optional<int64_t>& into) {
  return AddWhole(name, [&into](int64_t value) { into = value; });
}

namespace {

// "4..7" and "4-7": both ends.
std::optional<std::pair<int64_t, int64_t>> ReadRange(std::string_view text) {
  constexpr int64_t kMost = 1 << 20;  // numbers
  const size_t dots = text.find(".."), dash = text.find('-');
  const size_t at = dots != text.npos ? dots : dash;
  if (at == text.npos || at == 0) return std::nullopt;
  const auto number = [](std::string_view digits) -> std::optional<int64_t> {
    int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stop, failed] = std::from_chars(digits.data(), end, value);
    if (failed != std::errc() || stop != end || value < 0) return std::nullopt;
    return value;
  };
  const auto first = number(text.substr(0, at));
  const auto last = number(text.substr(at + (dots != text.npos ? 2 : 1)));
  if (!first || !last || *last < *first || *last - *first >= kMost) return std::nullopt;
  return std::pair(*first, *last);
}

}  // namespace

Option& Command::Take(std::string_view name, std::vector<int64_t>& into) {
  Option& option = AddWhole(name, [&into](int64_t value) { into.push_back(value); });
  option.arity = ArityOfList(option.value);
  option.store = [store = std::move(option.store), &into](const std::string& text) -> Result<void> {
    if (const auto range = ReadRange(text)) {
      for (int64_t k = 0; k <= range->second - range->first; ++k) into.push_back(range->first + k);
      return {};
    }
    auto stored = store(text);
    if (!stored)
      stored.error().hint = "separate whole numbers and ranges with commas, such as 0,1 or 4..7";
    return stored;
  };
  return option;
}

Option& Command::Switch(std::string_view name, bool& into, bool to) {
  Option option = FromVocabulary(name);
  option.store = [&into, to](const std::string&) -> Result<void> {
    into = to;
    return {};
  };
  return Add(std::move(option));
}

Option& Command::Argument(std::string name, std::string& into, std::string help) {
  return Add({.names = std::move(name),
              .help = std::move(help),
              .required = true,
              .store = [&into](const std::string& text) -> Result<void> {
                into = text;
                return {};
              }});
}

Option& Command::Argument(std::string name, std::vector<std::string>& into, std::string help) {
  return Add({.names = std::move(name),
              .help = std::move(help),
              .arity = Option::Arity::kWords,
              .required = true,
              .store = [&into](const std::string& text) -> Result<void> {
                into.push_back(text);
                return {};
              }});
}

void Command::AfterDashes(std::string name, std::vector<std::string>& into) {
  after_dashes_ = std::move(name);
  store_after_dashes_ = [&into](const std::vector<std::string>& words) { into = words; };
}

}  // namespace stepscope::cli
