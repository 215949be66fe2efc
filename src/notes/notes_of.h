// Counts, by kind, what in an input could not be taken at face value.
//
// Nothing is dropped, clipped or guessed in silence: whoever does so counts a note. Traces and job
// logs have lists of kinds of their own (trace/notes.h, goodput/events/notes.h); this is the class
// that both instantiate, and the one way from counts to the notes of a report.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/saturate.h"
#include "stepscope/phrase.h"
#include "stepscope/report.h"

namespace stepscope {

struct NoteText {
  std::string_view name;     // stable machine name: "negative_duration"
  std::string_view message;  // what happened and what was done about it
};

// `Kind` is an enum that ends with kCount, for which `std::span<const NoteText> NoteTexts(Kind)`
// returns the texts of all kinds in their order.
template <class Kind>
class NotesOf {
 public:
  static constexpr size_t kKinds = static_cast<size_t>(Kind::kCount);

  // `detail`, a text or a Phrase, completes the sentence with an example; the first one given is
  // kept. Counts saturate: an input may claim any number.
  template <class Text>
  void Add(Kind kind, int64_t count, const Text& detail) {
    Add(kind, count);
    if (!std::string_view(detail).empty() && Detail(kind).empty())
      details_.emplace_back(kind, detail);
  }

  void Add(Kind kind, int64_t count = 1) {
    int64_t& sum = counts_[static_cast<size_t>(kind)];
    sum = AddSaturated(sum, count);
  }

  // Adds all of `later`.
  void Add(const NotesOf& later) {
    for (size_t k = 0; k < kKinds; ++k) counts_[k] = AddSaturated(counts_[k], later.counts_[k]);
    for (const auto& [kind, detail] : later.details_) {
      if (Detail(kind).empty()) details_.emplace_back(kind, detail);
    }
  }

  // Replaces each detail by rewrite(detail).
  template <class Rewrite>
  void RewriteDetails(const Rewrite& rewrite) {
    for (auto& [kind, detail] : details_) detail.RewriteWith(rewrite);
  }

  int64_t Count(Kind kind) const { return counts_[static_cast<size_t>(kind)]; }

  // Empty where none was given.
  std::string_view Detail(Kind kind) const {
    const Phrase* found = Find(kind);
    return found == nullptr ? std::string_view() : std::string_view(*found);
  }

  // Those that occurred, in the order of their list. `where`: the file they occurred in.
  std::vector<Note> List(const std::string& where = {}) const {
    const std::span<const NoteText> texts = NoteTexts(Kind::kCount);
    std::vector<Note> notes;
    for (size_t k = 0; k < kKinds; ++k) {
      if (counts_[k] == 0) continue;
      Phrase message(texts[k].message);
      const Phrase* detail = Find(static_cast<Kind>(k));
      if (detail != nullptr && !detail->empty()) message += ": " + *detail;
      notes.push_back({std::string(texts[k].name), counts_[k], std::move(message), where});
    }
    return notes;
  }

 private:
  const Phrase* Find(Kind kind) const {
    const auto found = std::ranges::find(details_, kind, &std::pair<Kind, Phrase>::first);
    return found == details_.end() ? nullptr : &found->second;
  }

  std::array<int64_t, kKinds> counts_{};
  std::vector<std::pair<Kind, Phrase>> details_;
};

}  // namespace stepscope
