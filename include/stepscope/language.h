// Says reports in other languages than English.
//
// The JSON form of a report stays a contract in every language: keys, names of analyses, of enums
// and of notes are never translated; only what people read is. Names from traces stay as they are.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope {

enum class Language : uint8_t { kEnglish, kJapanese };
std::string_view LanguageCode(Language language);  // "en", "ja"

// Those that a page offers beside English.
inline constexpr std::array kOtherLanguages{Language::kJapanese};

// "en" or "ja", also as a locale writes it ("ja_JP.UTF-8"); anything else is no language.
std::optional<Language> ParseLanguage(std::string_view name);

// The phrase in a language. What its catalogue does not have stays English.
std::string In(Language language, const Phrase& phrase);

// The explanation of an analysis (AnalysisInfo::doc). The catalogue knows it by name and checksum,
// so that one whose English has changed since is English until somebody looks at it.
std::string DocIn(Language language, std::string_view analysis, const std::string& doc);

// What people read as sentences and titles; or the words of ours in cells and metrics, too, which
// programs compare.
enum class Translates : uint8_t { kSentences, kAll };

// Replaces it in `answer`.
void Translate(ReportSet& answer, Language language, Translates what = Translates::kAll);

// Every text of `answer` that people read, or of these, that differs in a language, by its English:
// for a page that shows either.
std::map<std::string, std::string> WordsIn(Language language, const ReportSet& answer);
std::map<std::string, std::string> WordsIn(Language language, std::span<const Phrase> phrases);

// The templates and words of `answer` that the language's catalogue does not have. Names from
// traces are among the words: they cannot be told from ours.
std::vector<std::string> MissingIn(Language language, const ReportSet& answer);

}  // namespace stepscope
