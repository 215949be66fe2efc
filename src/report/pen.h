// Collects lines of text for terminals: wrapped, indented, colored, in ASCII where asked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "stepscope/report.h"
#include "stepscope/write.h"

namespace stepscope {

inline constexpr std::string_view kBold = "1";

// The ANSI code that a severity is printed in.
std::string_view ColorOf(Severity severity);

// Blocks are separated by exactly one empty line.
class Pen {
 public:
  explicit Pen(const TextStyle& style);

  std::string Painted(std::string_view code, std::string_view text) const;

  // An empty line, unless nothing was written yet.
  void Gap();

  void Line(size_t indent, std::string_view text);

  void Heading(std::string_view title);

  // Wraps prose. `lead`, which takes `lead_width` columns, precedes its first line, `indent` spaces
  // the others.
  void Prose(std::string_view lead, size_t lead_width, size_t indent, std::string_view text);

  void Paragraph(size_t indent, std::string_view text);

  // Columns that remain beyond `indent`.
  size_t Room(size_t indent) const;

  bool ascii() const { return ascii_; }

  // The phrase in the language of the style.
  std::string In(const Phrase& phrase) const { return stepscope::In(language_, phrase); }

  // An empty page is still a line, so that shells show their prompt on a new line.
  std::string Take() &&;

 private:
  std::string out_;
  Language language_;
  bool ascii_;
  bool color_;
  size_t width_;
};

}  // namespace stepscope
