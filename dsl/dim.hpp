#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <fovea/dsl/sentence.hpp>

namespace fovea::core {

namespace detail {
/// Of numbers that are not negative (Euclid): <numeric> has it among seven thousand lines.
constexpr std::int64_t common_divisor(std::int64_t a, std::int64_t b) {
  return b == 0 ? a : common_divisor(b, a % b);
}
} // namespace detail

/// One axis of a shape: a number (4), a symbol whose size is known at run time (dim B{"B"}), a number with a
/// name (dim D{"D", 768}), or arithmetic of these (2 * T + 1, (T + 2) / 3). Division floors.
///
/// A dim is kept in a normal form, so that equal sizes compare equal however they were written: a sorted sum
/// of products of atoms, an atom being a symbol or floor(sum / divisor), with (s x + r) / s = x + floor(r /
/// s). A name only labels a number: numbers compare by value, symbols by name.
///
/// All members are public so that a dim can be a template argument (stream<T>); none is meant to be used
/// directly.
struct dim {
  static constexpr int max_terms = 8, max_atoms = 5, max_factors = 4, max_name = 15;

  /// coefficient * atoms[factors[0]] * atoms[factors[1]] ...; factors ascend in atom order, -1 where there is
  /// none.
  struct term {
    std::int64_t coefficient = 0;
    std::int8_t factors[max_factors] = {-1, -1, -1, -1};
  };
  /// A symbol (divisor 0), or floor of the sum of terms[first .. first + count) over the divisor.
  struct atom {
    char symbol[max_name + 1] = {};
    std::int64_t divisor = 0;
    std::int8_t first = 0, count = 0;
  };

  term terms[max_terms] = {};
  atom atoms[max_atoms] = {};
  char label[max_name + 1] = {};
  std::int8_t term_count = 0, atom_count = 0; // all terms, those of floors included
  std::int8_t first = 0, count = 0;           // the terms of the sum itself
  bool overflow = false;                      // the arithmetic outgrew the capacities above

  constexpr dim() = default; // the number 0
  template <class integer>
  requires std::integral<integer>
  constexpr dim(integer number) : overflow(number > 0 && static_cast<std::int64_t>(number) < 0) {
    if (number != 0) append({static_cast<std::int64_t>(number)});
  }

  /// A symbol.
  template <std::size_t n>
  consteval dim(const char (&name)[n]) {
    static_assert(n > 1 && n <= max_name + 1, "a dim's name has 1 to 15 characters [F0231]");
    atoms[atom_count++] = {};
    for (std::size_t i = 0; i + 1 < n && i < max_name; ++i) atoms[0].symbol[i] = name[i];
    append({1, {0, -1, -1, -1}});
  }

  /// The symbol of a name that another dim has.
  static constexpr dim symbol(const char* name) {
    dim d;
    for (int i = 0; name[i] != '\0'; ++i) d.atoms[0].symbol[i] = name[i];
    d.atom_count = 1;
    d.append({1, {0, -1, -1, -1}});
    return d;
  }

  /// A number with a name.
  template <std::size_t n>
  consteval dim(const char (&name)[n], std::int64_t number) : dim(number) {
    static_assert(n > 1 && n <= max_name + 1, "a dim's name has 1 to 15 characters [F0320]");
    for (std::size_t i = 0; i + 1 < n; ++i) label[i] = name[i];
  }

  constexpr bool is_number() const { return count == 0 || (count == 1 && terms[first].factors[0] < 0); }
  constexpr std::int64_t number() const { return count == 0 ? 0 : terms[first].coefficient; }
  constexpr bool is_symbol() const {
    return count == 1 && terms[first].coefficient == 1 && terms[first].factors[1] < 0 &&
           terms[first].factors[0] >= 0 && atoms[terms[first].factors[0]].divisor == 0;
  }
  /// The symbol's name, where is_symbol().
  constexpr const char* name() const { return atoms[terms[first].factors[0]].symbol; }

  /// Whether a size of this dim tells that of a symbol, the sizes of the others being known: one term is a
  /// number times the symbol and other symbols, the others do without it.
  constexpr bool tells(const char* symbol) const {
    int terms_of_it = 0;
    for (int i = 0; i < term_count; ++i) {
      int powers = 0;
      bool floors = false;
      for (int f = 0; f < max_factors && terms[i].factors[f] >= 0; ++f) {
        const atom& a = atoms[terms[i].factors[f]];
        floors |= a.divisor != 0;
        powers += a.divisor == 0 && order(a.symbol, symbol) == 0;
      }
      if (powers == 0) continue;
      const bool in_sum = i >= first && i < first + count; // else in a floor
      if (powers > 1 || floors || !in_sum || ++terms_of_it > 1) return false;
    }
    return terms_of_it == 1;
  }

  /// Whether the symbol named by `symbol` occurs anywhere in this dim.
  constexpr bool mentions(const dim& symbol) const {
    for (int i = 0; i < atom_count; ++i)
      if (atoms[i].divisor == 0 && order(atoms[i].symbol, symbol.name()) == 0) return true;
    return false;
  }

  friend constexpr bool operator==(const dim& a, const dim& b) {
    return order_sums(a, a.first, a.count, b, b.first, b.count) == 0;
  }

  friend constexpr dim operator+(const dim& a, const dim& b) {
    dim sum = a.without_sum();
    sum.overflow |= b.overflow;
    term parts[2 * max_terms];
    int n = 0;
    for (int i = 0; i < a.count; ++i) parts[n++] = a.terms[a.first + i];
    for (int i = 0; i < b.count; ++i) parts[n++] = sum.adopt(b, b.terms[b.first + i]);
    sum.set_sum(parts, n);
    return sum.tidy();
  }
  friend constexpr dim operator*(const dim& a, const dim& b) {
    dim product = a.without_sum();
    product.overflow |= b.overflow;
    term parts[max_terms * max_terms];
    int n = 0;
    for (int i = 0; i < a.count; ++i)
      for (int j = 0; j < b.count; ++j) {
        const term left = a.terms[a.first + i], right = product.adopt(b, b.terms[b.first + j]);
        parts[n++] = product.multiply(left, right);
      }
    product.set_sum(parts, n);
    return product.tidy();
  }
  friend constexpr dim operator-(const dim& a, const dim& b) { return a + b * dim(-1); }

  /// Floor division by a positive number.
  friend constexpr dim operator/(const dim& a, std::int64_t divisor) {
    if (divisor <= 0) {
      dim bad = a;
      bad.overflow = true;
      return bad;
    }
    if (divisor == 1) return a;
    dim quotient = a.without_sum();
    term whole[max_terms + 1], rest[max_terms];
    int wholes = 0, rests = 0;
    std::int64_t shared = divisor;
    for (int i = 0; i < a.count; ++i) {
      term t = a.terms[a.first + i];
      const std::int64_t q = floor_divide(t.coefficient, divisor), r = t.coefficient - q * divisor;
      if (q != 0) (whole[wholes] = t).coefficient = q, ++wholes;
      if (r != 0) (rest[rests] = t).coefficient = r, ++rests;
      if (r != 0 && t.factors[0] >= 0) shared = greatest_divisor(shared, r);
    }
    bool only_number = true;
    for (int i = 0; i < rests; ++i) only_number &= rest[i].factors[0] < 0;
    if (!only_number) {
      int kept = 0;
      for (int i = 0; i < rests; ++i) {
        rest[i].coefficient = floor_divide(rest[i].coefficient, shared);
        if (rest[i].coefficient != 0) rest[kept++] = rest[i];
      }
      whole[wholes++] = quotient.floor_of(rest, kept, divisor / shared);
    }
    quotient.set_sum(whole, wholes);
    return quotient.tidy();
  }

  /// The dim q for which q * b is a; overflow where there is none, or long division of sums does not find it.
  friend constexpr dim exact_quotient(const dim& a, const dim& b) {
    dim quotient = 0, rest = a;
    for (int i = 0; i < max_terms && rest.count > 0 && b.count > 0 && !quotient.overflow; ++i) {
      dim part = rest.without_sum();
      const term leading = part.divide(rest.terms[rest.first], part.adopt(b, b.terms[b.first]));
      part.set_sum(&leading, 1);
      part = part.tidy();
      quotient = quotient + part;
      rest = rest - part * b;
    }
    quotient.overflow |= rest.count > 0 || rest.overflow || b.count == 0;
    return quotient;
  }

  /// The size, given that of each symbol by `size_of(name)`.
  template <class sizes>
  constexpr std::int64_t evaluate(const sizes& size_of) const {
    return evaluate(first, count, size_of);
  }
  /// No sum or product on the way to it is larger than this, at these sizes or smaller ones.
  template <class sizes>
  constexpr double magnitude(const sizes& size_of) const {
    return magnitude(first, count, size_of);
  }

  /// Bounds of the size, not always reached.
  struct range {
    std::int64_t least, most;
  };
  /// Where the size lies while that of each symbol is from 0 to `size_of(name)`.
  template <class sizes>
  constexpr range range_up_to(const sizes& size_of) const {
    return range_up_to(first, count, size_of);
  }

  friend constexpr sentence& operator<<(sentence& s, const dim& d) {
    if (d.label[0] != '\0') s << d.label << '=';
    return d.write(s, d.first, d.count);
  }

private:
  static constexpr int order(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) ++a, ++b;
    return *a - *b;
  }
  static constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  }
  static constexpr std::int64_t greatest_divisor(std::int64_t a, std::int64_t b) {
    while (b != 0) {
      const std::int64_t r = a % b;
      a = b, b = r;
    }
    return a;
  }

  static constexpr int order_atoms(const dim& a, int i, const dim& b, int j) {
    if (i < 0 || j < 0) return i < 0 ? (j < 0 ? 0 : -1) : 1;
    const atom &x = a.atoms[i], &y = b.atoms[j];
    if (x.divisor != y.divisor) return x.divisor < y.divisor ? -1 : 1;
    if (x.divisor == 0) return order(x.symbol, y.symbol);
    return order_sums(a, x.first, x.count, b, y.first, y.count);
  }
  // Numbers come last, so that sums read "T + 1".
  static constexpr int order_terms(const dim& a, const term& x, const dim& b, const term& y) {
    for (int f = 0; f < max_factors; ++f)
      if (const int by = order_atoms(a, x.factors[f], b, y.factors[f]); by != 0)
        return (x.factors[f] < 0 || y.factors[f] < 0) ? -by : by;
    return 0;
  }
  static constexpr int order_sums(const dim& a, int i, int n, const dim& b, int j, int m) {
    for (int k = 0; k < n && k < m; ++k) {
      if (const int by = order_terms(a, a.terms[i + k], b, b.terms[j + k]); by != 0) return by;
      if (a.terms[i + k].coefficient != b.terms[j + k].coefficient)
        return a.terms[i + k].coefficient < b.terms[j + k].coefficient ? -1 : 1;
    }
    return n - m;
  }

  constexpr void append(const term& t) {
    // The least number has no opposite to write or to add.
    if (term_count == max_terms || t.coefficient == std::numeric_limits<std::int64_t>::min()) {
      overflow = true;
      return;
    }
    terms[term_count++] = t;
    ++count;
  }

  // Without atoms that the sum no longer uses: T + S - S does not mention S.
  constexpr dim tidy() const {
    dim kept = 0;
    kept.overflow = overflow;
    term parts[max_terms];
    for (int i = 0; i < count; ++i) parts[i] = kept.adopt(*this, terms[first + i]);
    kept.set_sum(parts, count);
    return kept;
  }

  // A copy that keeps the atoms (and the terms of its floors), ready for a new sum.
  constexpr dim without_sum() const {
    dim kept = 0;
    kept.overflow = overflow;
    for (int i = 0; i < atom_count; ++i) {
      const term one = kept.adopt(*this, {1, {static_cast<std::int8_t>(i), -1, -1, -1}});
      if (one.factors[0] != i) kept.overflow = true; // atoms of a dim are distinct: indices agree
    }
    return kept;
  }

  constexpr std::int8_t adopt_atom(const dim& from, int i) {
    for (int j = 0; j < atom_count; ++j)
      if (order_atoms(*this, j, from, i) == 0) return static_cast<std::int8_t>(j);
    atom copy = from.atoms[i];
    if (copy.divisor != 0) {
      term parts[max_terms];
      for (int k = 0; k < copy.count; ++k) parts[k] = adopt(from, from.terms[copy.first + k]);
      return make_floor(parts, copy.count, copy.divisor);
    }
    if (atom_count == max_atoms) {
      overflow = true;
      return 0;
    }
    atoms[atom_count] = copy;
    return atom_count++;
  }
  constexpr term adopt(const dim& from, const term& t) {
    term copy{t.coefficient};
    for (int f = 0; f < max_factors && t.factors[f] >= 0; ++f)
      copy.factors[f] = adopt_atom(from, t.factors[f]);
    sort_factors(copy);
    return copy;
  }
  constexpr void sort_factors(term& t) const {
    for (int i = 1; i < max_factors && t.factors[i] >= 0; ++i)
      for (int j = i; j > 0 && order_atoms(*this, t.factors[j], *this, t.factors[j - 1]) < 0; --j) {
        const std::int8_t held = t.factors[j];
        t.factors[j] = t.factors[j - 1], t.factors[j - 1] = held;
      }
  }
  /// a / b, overflow where b does not divide it.
  constexpr term divide(const term& a, const term& b) {
    term quotient = a;
    overflow |= b.coefficient == 0 || a.coefficient % b.coefficient != 0;
    if (overflow) return quotient;
    quotient.coefficient = a.coefficient / b.coefficient;
    for (const std::int8_t factor : b.factors) {
      if (factor < 0) break;
      int at = 0;
      while (at < max_factors && quotient.factors[at] != factor) ++at;
      if (at == max_factors) {
        overflow = true;
        return quotient;
      }
      for (; at + 1 < max_factors; ++at) quotient.factors[at] = quotient.factors[at + 1];
      quotient.factors[at] = -1;
    }
    return quotient;
  }
  constexpr term multiply(const term& a, const term& b) {
    term product;
    if (__builtin_mul_overflow(a.coefficient, b.coefficient, &product.coefficient)) overflow = true;
    int n = 0;
    for (const term* t : {&a, &b})
      for (int f = 0; f < max_factors && t->factors[f] >= 0; ++f) {
        if (n == max_factors)
          overflow = true;
        else
          product.factors[n++] = t->factors[f];
      }
    sort_factors(product);
    return product;
  }

  constexpr std::int8_t make_floor(const term* parts, int n, std::int64_t divisor) {
    atom made{};
    made.divisor = divisor;
    made.first = term_count;
    for (int i = 0; i < n; ++i) append(parts[i]);
    count = 0;
    made.count = static_cast<std::int8_t>(term_count - made.first);
    for (int j = 0; j < atom_count; ++j)
      if (atoms[j].divisor == divisor &&
          order_sums(*this, atoms[j].first, atoms[j].count, *this, made.first, made.count) == 0) {
        term_count = made.first;
        return static_cast<std::int8_t>(j);
      }
    if (atom_count == max_atoms) {
      overflow = true;
      return 0;
    }
    atoms[atom_count] = made;
    return atom_count++;
  }
  // floor((rest) / divisor) as a term; floor((floor(x / a) + c) / b) becomes floor((x + a c) / (a b)).
  constexpr term floor_of(term* rest, int n, std::int64_t divisor) {
    int inner = -1;
    std::int64_t plus = 0;
    bool nested = true;
    for (int i = 0; i < n; ++i) {
      const std::int8_t f = rest[i].factors[0];
      if (f < 0)
        plus = rest[i].coefficient;
      else if (inner < 0 && rest[i].coefficient == 1 && rest[i].factors[1] < 0 && atoms[f].divisor != 0)
        inner = f;
      else
        nested = false;
    }
    if (nested && inner >= 0) {
      const atom floor = atoms[inner];
      dim x = 0;
      term parts[max_terms + 1];
      int m = 0;
      for (int k = 0; k < floor.count; ++k) parts[m++] = x.adopt(*this, terms[floor.first + k]);
      std::int64_t shift = 0, product = 1;
      if (__builtin_mul_overflow(plus, floor.divisor, &shift) ||
          __builtin_mul_overflow(floor.divisor, divisor, &product))
        overflow = true;
      if (shift != 0) parts[m++] = {shift};
      x.set_sum(parts, m);
      const dim made = x / product;
      // One floor of a sum that is already reduced: its only term is the new atom.
      return adopt(made, made.terms[made.first]);
    }
    return {1, {make_floor(rest, n, divisor), -1, -1, -1}};
  }

  constexpr void set_sum(const term* parts, int n) {
    first = term_count;
    count = 0;
    term sorted[max_terms * max_terms + 1];
    int kept = 0;
    for (int i = 0; i < n; ++i) {
      int at = 0;
      while (at < kept && order_terms(*this, sorted[at], *this, parts[i]) < 0) ++at;
      if (at < kept && order_terms(*this, sorted[at], *this, parts[i]) == 0) {
        if (__builtin_add_overflow(sorted[at].coefficient, parts[i].coefficient, &sorted[at].coefficient))
          overflow = true;
        continue;
      }
      for (int j = kept; j > at; --j) sorted[j] = sorted[j - 1];
      sorted[at] = parts[i];
      ++kept;
    }
    for (int i = 0; i < kept; ++i)
      if (sorted[i].coefficient != 0) append(sorted[i]);
  }

  template <class sizes>
  constexpr std::int64_t evaluate(int begin, int n, const sizes& size_of) const {
    std::int64_t sum = 0;
    for (int i = 0; i < n; ++i) {
      const term& t = terms[begin + i];
      std::int64_t product = t.coefficient;
      for (int f = 0; f < max_factors && t.factors[f] >= 0; ++f) {
        const atom& a = atoms[t.factors[f]];
        product *=
            a.divisor == 0 ? size_of(a.symbol) : floor_divide(evaluate(a.first, a.count, size_of), a.divisor);
      }
      sum += product;
    }
    return sum;
  }

  template <class sizes>
  constexpr range range_up_to(int begin, int n, const sizes& size_of) const {
    range sum{0, 0};
    for (int i = 0; i < n; ++i) {
      const term& t = terms[begin + i];
      range product{t.coefficient, t.coefficient};
      for (int f = 0; f < max_factors && t.factors[f] >= 0; ++f) {
        const atom& a = atoms[t.factors[f]];
        range factor{0, 0};
        if (a.divisor == 0) {
          factor.most = size_of(a.symbol);
        } else {
          const range inner = range_up_to(a.first, a.count, size_of);
          factor = {floor_divide(inner.least, a.divisor), floor_divide(inner.most, a.divisor)};
        }
        const std::int64_t ends[] = {product.least * factor.least, product.least * factor.most,
                                     product.most * factor.least, product.most * factor.most};
        product = {ends[0], ends[0]};
        for (const std::int64_t end : ends) {
          if (end < product.least) product.least = end;
          if (end > product.most) product.most = end;
        }
      }
      sum = {sum.least + product.least, sum.most + product.most};
    }
    return sum;
  }

  template <class sizes>
  constexpr double magnitude(int begin, int n, const sizes& size_of) const {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
      const term& t = terms[begin + i];
      double product = static_cast<double>(t.coefficient < 0 ? -t.coefficient : t.coefficient);
      for (int f = 0; f < max_factors && t.factors[f] >= 0; ++f) {
        const atom& a = atoms[t.factors[f]];
        product *=
            a.divisor == 0 ? static_cast<double>(size_of(a.symbol)) : magnitude(a.first, a.count, size_of);
      }
      sum += product;
    }
    return sum;
  }

  constexpr sentence& write(sentence& s, int begin, int n) const {
    if (n == 0) return s << '0';
    for (int i = 0; i < n; ++i) {
      const term& t = terms[begin + i];
      if (i > 0)
        s << (t.coefficient < 0 ? " - " : " + ");
      else if (t.coefficient < 0)
        s << '-';
      const std::int64_t size = t.coefficient < 0 ? -t.coefficient : t.coefficient;
      if (size != 1 || t.factors[0] < 0) s << size;
      for (int f = 0; f < max_factors && t.factors[f] >= 0; ++f) {
        if (f > 0 || size != 1) s << '*';
        const atom& a = atoms[t.factors[f]];
        if (a.divisor == 0) {
          s << a.symbol;
          continue;
        }
        const bool sum = a.count > 1;
        if (sum) s << '(';
        write(s, a.first, a.count);
        if (sum) s << ')';
        s << '/' << a.divisor;
      }
    }
    return s;
  }
};

/// The size of a symbol: {{B, 8}, {T, 512}} is a list of these.
struct dim_size {
  dim symbol;
  std::int64_t size;

  constexpr dim_size(const dim& of, std::integral auto n) : symbol(of), size(static_cast<std::int64_t>(n)) {}
};
using dim_sizes = std::initializer_list<dim_size>;

} // namespace fovea::core

// What a user may name.
namespace fovea {
using core::dim, core::dim_size, core::dim_sizes;
} // namespace fovea
