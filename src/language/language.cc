// Implements include/stepscope/language.h.
#include "stepscope/language.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>

#include "base/ascii.h"
#include "base/crc32.h"
#include "language/catalogue.h"
#include "language/spacing.h"

namespace stepscope {
namespace {

using Texts = std::unordered_map<std::string_view, std::string_view>;

const Texts& TextsOf(Language language) {
  static const Texts english;
  static const Texts japanese = [] {
    Texts texts;
    for (const auto list : JapaneseTexts()) {
      for (const Translated& one : list) texts.emplace(one.english, one.other);
    }
    return texts;
  }();
  return language == Language::kJapanese ? japanese : english;
}

// What people read in place of a value that programs compare.
const Texts& WordsOfCodes() {
  static const Texts codes = {
      // facts/paths: bounds, as sentences call them (critical_path_finding), and changes.
      {"gpu_compute", "compute"},
      {"gpu_communication", "communication"},
      {"gpu_memory", "device copies"},
      {"launch_overhead", "kernel launch"},
      {"kernel_gap", "kernel gaps"},
      {"cpu", "host work"},
      {"data_loading", "data loading"},
      {"one_time", "one-time work"},
      {"sync", "waiting calls"},
      {"no_record", "no record"},
      {"compute*0", "no compute"},
      {"communication*0", "no communication"},
      {"launch*0", "no kernel launch"},
      {"data_loading*0", "no data loading"},
      {"cpu*0", "no host work"},
      {"cpu*0.5; launch*0.5", "half the host work and kernel launch"},
      // Causes of idle time.
      {"host_wait", "host wait"},
      {"kernel_wait", "kernel wait"}};
  return codes;
}

const std::string_view* Find(const Texts& texts, std::string_view english) {
  const auto at = texts.find(english);
  return at == texts.end() ? nullptr : &at->second;
}

// Words whose numbers are fields: "step 12" is "step {1}" and 12.
struct Numbered {
  std::string form;
  std::vector<std::string_view> numbers;
};
Numbered TakeNumbers(std::string_view words) {
  Numbered out;
  for (size_t at = 0; at < words.size();) {
    size_t end = at;
    const auto in_number = [&](size_t i) {
      return IsDigit(words[i]) || (i > at && i + 1 < words.size() &&
                                   (words[i] == '.' || words[i] == ',') && IsDigit(words[i + 1]));
    };
    while (end < words.size() && in_number(end)) ++end;
    if (end == at) {
      out.form += words[at++];
      continue;
    }
    out.numbers.push_back(words.substr(at, end - at));
    out.form += "{" + std::to_string(out.numbers.size()) + "}";
    at = end;
  }
  return out;
}

std::string Replaced(std::string text, std::string_view words, std::string_view others) {
  for (size_t at = text.find(words); at != text.npos; at = text.find(words, at + others.size()))
    text.replace(at, words.size(), others);
  return text;
}

// Graphs of kernels have a name of each maker's; the catalogue has those of CUDA.
std::optional<std::string> FindWithGraphs(const Texts& texts, std::string_view words) {
  for (const std::string_view maker : {"HIP", "NPU"}) {
    const std::string graph = std::string(maker) + " graph", python = "torch.npu.NPUGraph";
    if (!words.contains(graph) && !words.contains(python)) continue;
    std::string of_cuda = Replaced(std::string(words), "an NPU graph", "a CUDA graph");
    of_cuda = Replaced(Replaced(of_cuda, graph, "CUDA graph"), python, "torch.cuda.CUDAGraph");
    const auto* other = Find(texts, of_cuda);
    if (other == nullptr) continue;
    const std::string named = Replaced(std::string(*other), "CUDA \u30b0\u30e9\u30d5",
                                       std::string(maker) + " \u30b0\u30e9\u30d5");
    return maker == "NPU" ? Replaced(named, "torch.cuda.CUDAGraph", python) : named;
  }
  return std::nullopt;
}

// Words of one piece; nothing where the catalogue has none.
std::optional<std::string> FindWords(const Texts& texts, std::string_view words) {
  if (const auto* other = Find(texts, words)) return std::string(*other);
  if (auto other = FindWithGraphs(texts, words)) return other;
  const Numbered numbered = TakeNumbers(words);
  if (numbered.numbers.empty()) return std::nullopt;
  const auto* other = Find(texts, numbered.form);
  if (other == nullptr) return std::nullopt;
  return internal::Fill(*other, [&](std::string_view name) {
    const size_t n = static_cast<size_t>(name.front() - '1');
    return n < numbered.numbers.size() ? numbered.numbers[n] : std::string_view();
  });
}

// The same; space around joined words belongs to the sentence, not to them.
std::optional<std::string> FindWhole(const Texts& texts, const std::string& words) {
  if (auto found = FindWords(texts, words)) return found;
  const size_t begin = words.find_first_not_of(' '), end = words.find_last_not_of(' ');
  if (begin == words.npos || (begin == 0 && end + 1 == words.size())) return std::nullopt;
  const auto inner = FindWords(texts, std::string_view(words).substr(begin, end + 1 - begin));
  if (!inner) return std::nullopt;
  return words.substr(0, begin) + *inner + words.substr(end + 1);
}

std::string SayWhole(const Texts& texts, const std::string& words) {
  return FindWhole(texts, words).value_or(words);
}

// A cell of ours as people read it; no texts: in English.
std::string SayCell(const Texts& texts, const std::string& cell) {
  const auto* word = Find(WordsOfCodes(), cell);
  const std::string words = word != nullptr ? std::string(*word) : cell;
  return texts.empty() ? words : SayWhole(texts, words);
}

std::string SayIn(const Texts& texts, const Phrase& phrase) {
  switch (phrase.kind()) {
    case Phrase::Kind::kWhole:
      return SayWhole(texts, phrase.str());
    case Phrase::Kind::kName:
      return phrase.str();
    case Phrase::Kind::kCapitalized:
      return SayIn(texts, phrase.parts().front());
    case Phrase::Kind::kForm: {
      const auto* other = Find(texts, phrase.form());
      const std::vector<std::string_view> names = FieldsOf(phrase.form());
      return internal::Fill(other != nullptr ? *other : phrase.form(), [&](std::string_view name) {
        const auto field = static_cast<size_t>(std::ranges::find(names, name) - names.begin());
        return field < phrase.parts().size() ? SayIn(texts, phrase.parts()[field]) : std::string();
      });
    }
    case Phrase::Kind::kJoined:
      break;
  }
  if (const auto* whole = Find(texts, phrase.str())) return std::string(*whole);
  // No space follows a full stop that is as wide as a letter.
  std::string out;
  for (const Phrase& part : phrase.parts()) {
    const std::string said = SayIn(texts, part);
    out += out.ends_with("。") ? said.substr(std::min(said.find_first_not_of(' '), said.size()))
                               : said;
  }
  return out;
}

std::string SayAll(const Texts& texts, const Phrase& phrase) {
  return SpacedJapanese(SayIn(texts, phrase));
}

// Whether a column's texts are words of ours rather than names from traces.
bool HoldsWords(const Table& table, const Column& column) {
  return column.words || column.key == table.kind_column;
}

// Calls visit(phrase) for each phrase, and visit_cell(text) for each text of ours in cells.
template <class Answer, class Visit, class VisitCell>
void ForEachText(Answer& answer, const Visit& visit, const VisitCell& visit_cell) {
  visit(answer.verdict);
  for (auto& note : answer.run.notes) visit(note.message);
  for (auto& report : answer.reports) {
    for (auto* phrase : {&report.title, &report.label, &report.why, &report.headline})
      visit(*phrase);
    for (auto& metric : report.metrics) {
      visit(metric.title);
      if (auto* text = std::get_if<std::string>(&metric.value)) visit_cell(*text);
    }
    for (auto& table : report.tables) {
      visit(table.title);
      for (size_t c = 0; c < table.columns.size(); ++c) {
        visit(table.columns[c].title);
        if (!HoldsWords(table, table.columns[c])) continue;
        for (auto& row : table.rows) {
          if (auto* text = std::get_if<std::string>(&row[c])) visit_cell(*text);
        }
      }
    }
    for (auto& series : report.series) visit(series.title);
    for (auto& finding : report.findings) {
      for (auto* phrase : {&finding.message, &finding.because, &finding.hint}) visit(*phrase);
      for (auto& evidence : finding.evidence) {
        visit(evidence.message);
        visit(evidence.because);
      }
    }
    for (auto& note : report.notes) visit(note.message);
  }
}

// What differs in a language, by its English. Looks up each cell's text once: a column of words has
// few.
class Words {
 public:
  explicit Words(Language language) : texts_(TextsOf(language)) {}

  void Add(const Phrase& phrase) {
    if (!texts_.empty()) Put(phrase, SayAll(texts_, phrase));
  }
  void AddCell(const std::string& cell) {
    if (seen_.insert(cell).second) Put(cell, SayCell(texts_, cell));
  }
  std::map<std::string, std::string> Take() && { return std::move(words_); }

 private:
  void Put(const std::string& english, std::string other) {
    if (other != english) words_.emplace(english, std::move(other));
  }

  const Texts& texts_;
  std::unordered_set<std::string_view> seen_;  // cells; they outlive this
  std::map<std::string, std::string> words_;
};

bool HasLetters(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return IsWordChar(c) && !IsDigit(c); });
}

void AddMissing(const Texts& texts, const Phrase& phrase, std::set<std::string>& missing) {
  switch (phrase.kind()) {
    case Phrase::Kind::kWhole:
      if (HasLetters(phrase.str()) && !FindWhole(texts, phrase.str())) missing.insert(phrase.str());
      return;
    case Phrase::Kind::kName:
      return;
    case Phrase::Kind::kForm:
      if (Find(texts, phrase.form()) == nullptr) missing.emplace(phrase.form());
      break;
    case Phrase::Kind::kJoined:
    case Phrase::Kind::kCapitalized:
      break;
  }
  for (const Phrase& part : phrase.parts()) AddMissing(texts, part, missing);
}

}  // namespace

std::string_view LanguageCode(Language language) {
  return language == Language::kJapanese ? "ja" : "en";
}

std::optional<Language> ParseLanguage(std::string_view name) {
  const std::string_view code = name.substr(0, name.find_first_of("_.@-"));
  if (code == "en") return Language::kEnglish;
  if (code == "ja") return Language::kJapanese;
  return std::nullopt;
}

std::string In(Language language, const Phrase& phrase) {
  return language == Language::kEnglish ? phrase.str() : SayAll(TextsOf(language), phrase);
}

std::string DocIn(Language language, std::string_view analysis, const std::string& doc) {
  if (language == Language::kEnglish) return doc;
  const uint32_t sum = Crc32(doc.data(), doc.size());
  const auto* other = Find(TextsOf(language), fmt::format("doc of {}, {:08x}", analysis, sum));
  return other == nullptr ? doc : std::string(*other);
}

void Translate(ReportSet& answer, Language language, Translates what) {
  const bool english = language == Language::kEnglish;
  const Texts& texts = TextsOf(language);
  ForEachText(
      answer,
      [&](Phrase& phrase) {
        if (!english) phrase = SayAll(texts, phrase);
      },
      [&](std::string& cell) {
        if (what == Translates::kAll) cell = SayCell(texts, cell);
      });
}

std::map<std::string, std::string> WordsIn(Language language, const ReportSet& answer) {
  Words words(language);
  ForEachText(
      answer, [&](const Phrase& phrase) { words.Add(phrase); },
      [&](const std::string& cell) { words.AddCell(cell); });
  return std::move(words).Take();
}

std::map<std::string, std::string> WordsIn(Language language, std::span<const Phrase> phrases) {
  Words words(language);
  for (const Phrase& phrase : phrases) words.Add(phrase);
  return std::move(words).Take();
}

std::vector<std::string> MissingIn(Language language, const ReportSet& answer) {
  std::set<std::string> missing;
  const Texts& texts = TextsOf(language);
  ForEachText(
      answer, [&](const Phrase& phrase) { AddMissing(texts, phrase, missing); },
      [&](const std::string& cell) { AddMissing(texts, SayCell({}, cell), missing); });
  return {missing.begin(), missing.end()};
}

}  // namespace stepscope
