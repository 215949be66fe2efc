// What the changes of tools/mutate call: each computes what the source says, unless it is the
// change that is tried (STEPSCOPE_MUTANT). One program holds all of them.
#pragma once

namespace mutant {

inline constexpr int kMost = 20000;
extern int active;
extern unsigned char reached[kMost];

inline bool On(int id) {
  reached[id] = 1;
  return active == id;
}

template <class A, class B>
auto Add(int id, A a, B b) {
  return On(id) ? static_cast<decltype(a + b)>(a - b) : a + b;
}
template <class A, class B>
auto Subtract(int id, A a, B b) {
  return On(id) ? static_cast<decltype(a - b)>(a + b) : a - b;
}
template <class A, class B>
auto Multiply(int id, A a, B b) {
  return On(id) ? static_cast<decltype(a * b)>(a) : a * b;
}
template <class A, class B>
auto Divide(int id, A a, B b) {
  return On(id) ? static_cast<decltype(a / b)>(a) : a / b;
}
template <class A, class B>
auto Remainder(int id, A a, B b) {
  return On(id) ? static_cast<decltype(a % b)>(a) : a % b;
}
template <class A, class B>
bool Less(int id, A a, B b) {
  return On(id) ? a <= b : a < b;
}
template <class A, class B>
bool AtMost(int id, A a, B b) {
  return On(id) ? a < b : a <= b;
}
template <class A, class B>
bool Greater(int id, A a, B b) {
  return On(id) ? a >= b : a > b;
}
template <class A, class B>
bool AtLeast(int id, A a, B b) {
  return On(id) ? a > b : a >= b;
}
template <class A, class B>
bool Equal(int id, A a, B b) {
  return (a == b) != On(id);
}
template <class A, class B>
bool Unequal(int id, A a, B b) {
  return (a != b) != On(id);
}
inline bool Condition(int id, bool value) { return value != On(id); }
template <class A>
A Literal(int id, A value) {
  return On(id) ? static_cast<A>(value + 1) : value;
}

}  // namespace mutant
