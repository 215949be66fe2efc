// Guesses which form comes next.
#include "goodput/events/template_cache.h"

namespace stepscope::goodput {

// Where every object has a text of its own, to compare it is in vain: only some are then.
bool TemplateCache::SeemsInVain() const { return misses_ > kMost && misses_ % 8 != 0; }

// Takes the object and its line break off the text; false: it is of another form.
bool TemplateCache::Matches(Form& form, std::string_view& text) {
  std::string_view rest = text;
  if (!form.flat.ReadAsBefore(rest, form.entry) || !rest.starts_with('\n')) return false;
  text = rest.substr(1);
  return true;
}

// The form to read something new with: not the last one, which may well come again.
size_t TemplateCache::Room() {
  if (forms_.size() < kMost) {
    forms_.emplace_back(forms_.size());
    return forms_.size() - 1;
  }
  if (oldest_ == last_) oldest_ = (oldest_ + 1) % kMost;
  return oldest_;
}

void TemplateCache::CameBehindLast(size_t form) {
  forms_[last_].follower = form;
  last_ = form;
}

const Event* TemplateCache::Read(std::string_view object, Notes& note_counts) {
  const bool is_long = object.size() > kLongest;
  const size_t room = is_long ? 0 : Room();
  Form& form = is_long ? long_one_ : forms_[room];
  if (!form.flat.Read(object, form.entry) || form.entry.empty()) return nullptr;
  form.maker.Make(form.entry, note_counts);
  ++misses_;
  if (!is_long) {
    if (room == oldest_) oldest_ = (oldest_ + 1) % kMost;
    CameBehindLast(room);
  }
  return &form.event;
}

const Event* TemplateCache::ReadKnown(std::string_view& text, Notes& note_counts) {
  if (forms_.empty() || SeemsInVain()) return nullptr;
  size_t form = forms_[last_].follower;
  if (!Matches(forms_[form], text)) {
    if (form == last_ || !Matches(forms_[last_], text)) return nullptr;
    form = last_;
  }
  misses_ = 0;
  CameBehindLast(form);
  forms_[form].maker.MakeAgain(forms_[form].entry, note_counts);
  return &forms_[form].event;
}

}  // namespace stepscope::goodput
