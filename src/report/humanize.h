// Formats numbers as text for people, in readable units.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "report/phrase_format.h"
#include "stepscope/report.h"

namespace stepscope {

// Three significant digits in the unit that fits: "640 ns", "12.4 µs", "1.24 ms", "83.5 s",
// "15.0 min", "2.32 h", "10.4 d".
std::string HumanTime(double ns);

// The same of whole ns.
inline std::string HumanNanoseconds(int64_t ns) { return HumanTime(static_cast<double>(ns)); }

// A moment, ns since the epoch, to the second it lies in: "2026-11-21 20:05:03 UTC".
std::string HumanMoment(int64_t ns);

// Powers of 1000: "512 B", "1.50 kB", "80.0 GB".
std::string HumanBytes(double bytes);

// Powers of 1000: "12.3 GFLOP".
std::string HumanFlop(double flop);

// "12.3%"; from ten times on "1,234%"; what would round to 0 is "<0.1%".
std::string HumanRatio(double ratio);

// A relative change: "+26.3%", "-99.4%"; from ten times more on, the multiple: "21×".
std::string HumanChange(double change);

// A difference of two ratios, in percentage points: "-1.5 pp".
std::string HumanPoints(double difference);

// "1,234,567". Doubles (means of counts) keep three significant digits: "12.5".
std::string HumanCount(int64_t count);
std::string HumanCount(double count);

// "1 row", "34 rows".
Phrase Plural(size_t count, std::string_view noun);

// With a capital first letter, to begin a sentence.
inline Phrase Capitalized(Phrase phrase) { return Phrase::Capitalized(std::move(phrase)); }

// Whether a cell has nothing to show: no value, no text, or no finite number.
bool IsBlank(const Cell& cell);

// A cell for a person; "-" when blank. Text is returned as it is in the cell, unescaped.
std::string HumanCell(const Cell& cell, Unit unit);

}  // namespace stepscope
