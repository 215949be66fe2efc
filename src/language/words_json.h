// Writes what texts are in other languages beside their English, for a page that shows either.
#pragma once

#include "base/json_writer.h"
#include "stepscope/language.h"

namespace stepscope {

// "words": {"ja": {"English": "other"}} into an object that is open. `words_of`(language): a map
// from English.
template <class Languages, class WordsOf>
void PutWords(JsonWriter& json, const Languages& languages, const WordsOf& words_of) {
  json.Key("words");
  json.BeginObject();
  for (const Language language : languages) {
    json.Key(LanguageCode(language));
    json.BeginObject();
    for (const auto& [english, other] : words_of(language)) json.Text(english, other);
    json.End();
  }
  json.End();
}

}  // namespace stepscope
