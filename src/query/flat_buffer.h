// Builds FlatBuffers, from the end to the front as their offsets ask for.
//
// Layout: https://flatbuffers.dev/internals/. A reference is a distance from the end of what was
// built so far, so it stays true as more is put in front.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepscope::query {

class FlatBuffer {
 public:
  using Ref = uint32_t;

  // One field of a table: its number, and a value or a reference.
  class Table {
   public:
    explicit Table(FlatBuffer& buffer) : buffer_(&buffer), end_(buffer.size()) {}
    template <class T>
    void Number(size_t field, T value) {
      buffer_->Put(value);
      Note(field);
    }
    void Reference(size_t field, Ref to) {
      buffer_->PutReference(to);
      Note(field);
    }
    Ref Finish();

   private:
    void Note(size_t field) {
      if (fields_.size() <= field) fields_.resize(field + 1);
      fields_[field] = buffer_->size();
    }
    FlatBuffer* buffer_;
    uint32_t end_;
    std::vector<uint32_t> fields_;
  };

  Ref String(std::string_view text);
  Ref References(std::span<const Ref> to);
  // Structs of `each` bytes, aligned to 8, in their order.
  Ref Structs(std::string_view bytes, size_t each);
  // The whole, with the root in front.
  std::string Finish(Ref root);

 private:
  friend class Table;
  uint32_t size() const { return static_cast<uint32_t>(reversed_.size()); }
  void Align(size_t to, size_t before = 0);
  void PutBytes(std::string_view bytes);
  template <class T>
  void Put(T value) {
    Align(sizeof value);
    PutBytes({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void PutReference(Ref to) {
    Align(4);
    Put(size() + 4 - to);
  }

  std::string reversed_;  // the last byte first
};

}  // namespace stepscope::query
