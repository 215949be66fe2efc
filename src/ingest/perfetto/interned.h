// Keeps what the packets of a sequence define once and name by numbers from then on.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/string_table.h"
#include "ingest/kineto/kineto_fields.h"
#include "trace/vocabulary.h"

namespace stepscope::perfetto {

// Entries by their number. Small numbers are places in an array; others, which no writer uses but
// may, cost more.
template <class Entry>
class NumberedTable {
 public:
  const Entry* Find(uint64_t number) const {
    if (number < dense_.size() && dense_[number].set) return &dense_[number].entry;
    if (sparse_.empty()) return nullptr;
    const auto at = sparse_.find(number);
    return at == sparse_.end() ? nullptr : &at->second;
  }
  void Set(uint64_t number, const Entry& entry) {
    const uint64_t most = 4 * (entries_ + 256);
    ++entries_;
    if (number >= most) {
      sparse_[number] = entry;
      return;
    }
    if (number >= dense_.size()) dense_.resize(std::max<size_t>(number + 1, 2 * dense_.size()));
    dense_[number] = {entry, true};
  }
  void Clear() {
    dense_.clear();
    sparse_.clear();
    entries_ = 0;
  }

 private:
  struct Place {
    Entry entry{};
    bool set = false;
  };
  std::vector<Place> dense_;
  std::unordered_map<uint64_t, Entry> sparse_;
  uint64_t entries_ = 0;
};

struct Category {
  StringId text = kNoString;
  CategoryMeaning meaning;
};
struct AnnotationName {
  StringId text = kNoString;
  ArgUse use;
};

// What a sequence has defined. Texts are in the reader's table.
struct Interned {
  NumberedTable<Category> categories;
  NumberedTable<StringId> names, texts, stages, kernels, launch_args;
  NumberedTable<AnnotationName> annotation_names;

  // Takes an InternedData message.
  void Take(std::string_view data, StringTable& strings);
  void Clear();
};

// What the categories of these writers mean: PyTorch's are those of its JSON; the others are
// rocprofv3's and xpu_timer's.
CategoryMeaning MeaningInPerfetto(std::string_view category);

}  // namespace stepscope::perfetto
