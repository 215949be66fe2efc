// Reads one change after the other: what it is about, a colon, and what becomes of that.
#include "facts/derived/replay/job_change.h"

#include <charconv>
#include <utility>

#include "base/ascii.h"

namespace stepscope {
namespace {

constexpr double kLargestFactor = 1000;
constexpr int64_t kMostRanks = 1 << 16;  // that one change names

using Target = JobChange::Target;

std::unexpected<Error> Unreadable(std::string_view text, std::string_view why) {
  return std::unexpected(
      Error{"cannot read the change '" + std::string(text) + "': " + std::string(why), "`set`",
            "write, for instance: " + std::string(kChangeForms)});
}

// What follows `word` in `text`, where that begins with it.
std::optional<std::string_view> After(std::string_view text, std::string_view word) {
  if (!Lower(text.substr(0, word.size())).starts_with(word)) return std::nullopt;
  const std::string_view rest = text.substr(word.size());
  if (!rest.empty() && rest.front() != ' ') return std::nullopt;
  return Trimmed(rest);
}

template <class Number>
std::optional<Number> NumberIn(std::string_view text) {
  Number number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "x0.7", "x 0.7".
std::optional<double> FactorIn(std::string_view text) {
  if (!text.starts_with('x')) return std::nullopt;
  const auto factor = NumberIn<double>(Trimmed(text.substr(1)));
  if (!factor || !(*factor >= 0 && *factor <= kLargestFactor)) return std::nullopt;
  return factor;
}

// "9", "8,9", "8..15".
bool ReadRanks(std::string_view text, std::vector<int64_t>& ranks) {
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view part = Trimmed(text.substr(0, comma));
    const size_t dots = part.find("..");
    const auto first = NumberIn<int64_t>(Trimmed(part.substr(0, dots)));
    const auto last = dots == part.npos ? first : NumberIn<int64_t>(Trimmed(part.substr(dots + 2)));
    if (!first || !last || *first < 0 || *last < *first || *last >= kMostRanks) return false;
    for (int64_t r = *first; r <= *last; ++r) ranks.push_back(r);
    if (std::ssize(ranks) > kMostRanks) return false;
    if (comma == text.npos) return true;
    text.remove_prefix(comma + 1);
  }
}

// Where the target ends: the first colon that a space or the end follows, so that names may hold
// others.
size_t ColonOf(std::string_view text) {
  for (size_t at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
    const bool doubled = (at > 0 && text[at - 1] == ':') || text.substr(at + 1).starts_with(':');
    if (!doubled) return at;
  }
  return text.npos;
}

class ChangeReader {
 public:
  explicit ChangeReader(std::string_view text) : text_(text) { change_.text = text; }

  Result<JobChange> Read() {
    const size_t colon = ColonOf(text_);
    if (colon == text_.npos) return Unreadable(text_, "there is no ':' after what it is about");
    const std::string_view about = Trimmed(text_.substr(0, colon));
    const std::string_view becomes = Trimmed(text_.substr(colon + 1));
    const char* wrong = ReadTarget(about);
    if (wrong == nullptr) wrong = ReadBecomes(becomes);
    if (wrong != nullptr) return Unreadable(text_, wrong);
    return std::move(change_);
  }

 private:
  // Why it cannot be read; null: it can.
  const char* ReadTarget(std::string_view about) {
    for (const std::string_view word : {"ranks", "rank"}) {
      const auto numbers = After(about, word);
      if (!numbers) continue;
      change_.target = Target::kRanks;
      return ReadRanks(*numbers, change_.ranks) ? nullptr : "ranks are numbers, as in 'rank 8,9'";
    }
    if (Lower(about) == "host gaps") return Set(Target::kHostGaps, "");
    if (const auto number = After(about, "stage")) {
      change_.stage = NumberIn<int64_t>(*number);
      return change_.stage ? Set(Target::kRanks, "") : "stages are numbers, as in 'stage 2'";
    }
    if (const auto name = After(about, "host")) {
      change_.host = *name;
      return name->empty() ? "the host has no name" : Set(Target::kRanks, "");
    }
    for (const auto& [word, target] :
         {std::pair("kernel", Target::kKernel), std::pair("operator", Target::kOperator),
          std::pair("python", Target::kPython)}) {
      const auto name = After(about, word);
      if (name) return name->empty() ? "there is no name" : Set(target, *name);
    }
    if (const auto group = After(about, "link")) return Set(Target::kLink, *group);
    if (const auto group = After(about, "communication")) return Set(Target::kHidden, *group);
    if (Lower(about) == "collectives") return Set(Target::kCollectives, "");
    if (Lower(about) == "buckets") return Set(Target::kBuckets, "");
    if (Lower(about) == "microbatches") return Set(Target::kMicrobatches, "");
    if (Lower(about) == "input") return Set(Target::kInput, "");
    return "it is about nothing that is known";
  }

  const char* Set(Target target, std::string_view pattern) {
    change_.target = target;
    change_.pattern = pattern;
    return nullptr;
  }

  const char* ReadBecomes(std::string_view becomes) {
    switch (change_.target) {
      case Target::kRanks:
        return ReadOfRanks(becomes);
      case Target::kHidden:
        change_.factor = 0;
        return Lower(becomes) == "hidden" ? nullptr : "communication becomes 'hidden'";
      case Target::kCollectives:
      case Target::kInput:
        change_.factor = 0;
        return Lower(becomes) == "no wait" ? nullptr : "it becomes 'no wait'";
      case Target::kHostGaps:
        change_.factor = 0;
        return Lower(becomes) == "none" ? nullptr : "they become 'none'";
      case Target::kMicrobatches:
        change_.count = NumberIn<int64_t>(becomes).value_or(0);
        return change_.count > 0 ? nullptr : "microbatches are a number from 1 on, as '16'";
      case Target::kKernel:
      case Target::kOperator:
      case Target::kPython:
      case Target::kLink:
      case Target::kBuckets:
        break;
    }
    return ReadFactor(becomes);
  }

  const char* ReadFactor(std::string_view text) {
    const bool link = change_.target == Target::kLink;
    const bool buckets = change_.target == Target::kBuckets;
    if (!link && !buckets && Lower(text) == "gone") {
      change_.factor = 0;
      return nullptr;
    }
    const auto factor = FactorIn(text);
    if (!factor) return "what it becomes is a factor from 0 to 1000, as 'x0.5'";
    if (link && *factor == 0) return "a link has some speed";
    if (buckets && *factor == 0) return "a bucket has some size";
    change_.factor = link ? 1 / *factor : *factor;
    return nullptr;
  }

  // "all = median of ranks", "kernel gemm* x0.7", "host = before step 7".
  const char* ReadOfRanks(std::string_view text) {
    const size_t equals = text.find('=');
    if (equals == text.npos) {
      const size_t x = text.rfind(" x");
      if (x == text.npos) return "what a rank's work becomes is '= median of ranks' or 'x0.7'";
      const auto factor = FactorIn(Trimmed(text.substr(x)));
      if (!factor) return "what it becomes is a factor from 0 to 1000, as 'x0.7'";
      change_.factor = *factor;
      return ReadPart(Trimmed(text.substr(0, x)));
    }
    const std::string as = Lower(Trimmed(text.substr(equals + 1)));
    if (as == "median of ranks") {
      change_.to = JobChange::To::kPeers;
    } else if (const auto number = After(as, "before step")) {
      const auto step = NumberIn<int64_t>(*number);
      if (!step) return "steps are numbers, as in 'before step 7'";
      change_.to = JobChange::To::kBefore;
      change_.step = *step;
    } else {
      return "work becomes '= median of ranks' or '= before step 7'";
    }
    return ReadPart(Trimmed(text.substr(0, equals)));
  }

  const char* ReadPart(std::string_view text) {
    for (const auto& [word, part] :
         {std::pair("all", WorkPart::kAll), std::pair("compute", WorkPart::kCompute),
          std::pair("host", WorkPart::kHost)}) {
      if (Lower(text) != word) continue;
      change_.part = part;
      return nullptr;
    }
    for (const auto& [word, part] :
         {std::pair("kernel", WorkPart::kKernel), std::pair("operator", WorkPart::kOperator),
          std::pair("before", WorkPart::kBefore)}) {
      const auto name = After(text, word);
      if (!name || name->empty()) continue;
      change_.part = part;
      change_.pattern = *name;
      return nullptr;
    }
    return "the work of a rank is all, compute, host, or kernel, operator or before a name";
  }

  std::string_view text_;
  JobChange change_;
};

}  // namespace

Result<std::vector<JobChange>> ReadJobChanges(std::string_view text) {
  std::vector<JobChange> changes;
  while (!text.empty()) {
    const size_t end = std::min(text.find(';'), text.size());
    const std::string_view part = Trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.empty()) continue;
    auto change = ChangeReader(part).Read();
    if (!change) return std::unexpected(std::move(change.error()));
    changes.push_back(*std::move(change));
  }
  return changes;
}

}  // namespace stepscope
