// Makes untrusted text printable: names in traces and of files may contain terminal escape
// sequences, text direction controls, or bytes that are not UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace stepscope {

// Appends `text` as valid UTF-8 on one line: controls become \n, \t, \r, \x1b or \u202e, bytes that
// are not UTF-8 become \xNN.
void AppendPrintable(std::string& out, std::string_view text);
std::string Printable(std::string_view text);

}  // namespace stepscope
