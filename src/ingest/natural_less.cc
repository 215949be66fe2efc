// Compares names, numbers in them by value.
#include "ingest/natural_less.h"

#include <cctype>

namespace stepscope {

bool NaturalLess(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (!digit(a[i]) || !digit(b[j])) {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i, ++j;
      continue;
    }
    while (i < a.size() && a[i] == '0') ++i;
    while (j < b.size() && b[j] == '0') ++j;
    size_t x = i;
    size_t y = j;
    while (x < a.size() && digit(a[x])) ++x;
    while (y < b.size() && digit(b[y])) ++y;
    if (x - i != y - j) return x - i < y - j;
    if (const int order = a.compare(i, x - i, b, j, y - j); order != 0) return order < 0;
    i = x, j = y;
  }
  return a.size() - i < b.size() - j;
}

}  // namespace stepscope
