// Quotes the names from traces that sentences hold, for readers that must not take them for words
// of this program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stepscope/report.h"

namespace stepscope {

// A name on one line, without quotes and controls, at most `most` bytes.
std::string CutName(std::string_view name, size_t most);

class QuotedNames {
 public:
  // Of the tables of all reports: kernels, operators, functions, files, groups, hosts, ...
  explicit QuotedNames(const ReportSet& answer);

  // `text` with each name in backquotes, cut. What the phrase says is a name is one, also a word
  // like "step"; of other texts what tables name.
  std::string In(const Phrase& text) const;
  // Advice `text` without names, which are data and no instructions: "what is named above" for
  // each, and for where it is: "make what is named above faster" of "make load (hooks.py:52)
  // faster".
  std::string Without(const Phrase& text) const;

 private:
  template <class Replace>
  std::string Replaced(const Phrase& text, const Replace& replace) const;
  template <class Replace>
  std::string ReplacedByTables(std::string_view text, const Replace& replace) const;

  std::vector<std::string> names_;  // longest first; none twice
};

}  // namespace stepscope
