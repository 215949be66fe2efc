// Generates pseudo-random numbers that are the same on every machine.
//
// <random>'s distributions may differ between standard libraries; a demo's bytes and a simulation's
// answer must not.
#pragma once

#include <cstdint>

namespace stepscope {

// The finalizer of splitmix64: spreads every bit of `value` over all bits of the result.
constexpr uint64_t Mix(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

class Random {
 public:
  // Streams of different (seed, stream) pairs have nothing to do with one another.
  constexpr Random(uint64_t seed, uint64_t stream) : state_(Mix(seed + Mix(stream + 1))) {}

  constexpr uint64_t Next() { return Mix(state_ += 0x9e3779b97f4a7c15u); }

  // A whole number from 0 to bound - 1. REQUIRES: 0 < bound < 2^31.
  constexpr int64_t Below(int64_t bound) {
    return static_cast<int64_t>(((Next() >> 33) * static_cast<uint64_t>(bound)) >> 31);
  }

  // A multiple of 2^-53 from 0 to below 1.
  constexpr double Fraction() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

  // Exponentially distributed with mean 1, from comparisons alone (von Neumann, Various techniques
  // used in connection with random digits, 1951): a logarithm may differ in its last digit from one
  // machine to the next. Takes 4.3 fractions on average.
  constexpr double Exponential() {
    for (double whole = 0;; ++whole) {
      const double first = Fraction();
      double last = first;
      for (bool odd = true;; odd = !odd) {
        const double next = Fraction();
        if (next > last) {
          if (odd) return whole + first;
          break;
        }
        last = next;
      }
    }
  }

  // `value` give or take at most `permille` thousandths of it, most often close to it.
  constexpr int64_t Around(int64_t value, int64_t permille) {
    const int64_t up = Below(permille + 1);
    const int64_t down = Below(permille + 1);
    return value + value / 1000 * (up - down) + value % 1000 * (up - down) / 1000;
  }

 private:
  uint64_t state_;
};

}  // namespace stepscope
