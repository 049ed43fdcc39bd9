import RecordStore

/// A condition as written: names are not looked up yet, values have no type yet.
indirect enum Expression: Hashable {
  case or([Expression])
  case and([Expression])
  case not(Expression)
  /// A yes-or-no field by itself.
  case flag(Name)
  case compare(Name, RecordFilter.Comparison, Operand)
  case oneOf(Name, [Literal])
  case match(Name, TextMatch, Literal)
  case related(Quantifier, relationship: Name, Expression?)

  enum TextMatch: String, Hashable, CaseIterable {
    case contains, startswith, endswith
    /// Case and accents ignored.
    case search
  }

  enum Quantifier: Hashable {
    case any, all
    case count(RecordFilter.Comparison, Literal)
  }

  enum Operand: Hashable {
    case literal(Literal)
    case name(Name)
  }

  /// Words joined by points, and where they stand.
  struct Name: Hashable {
    var text: String
    var column: Int
    var parts: [String] { text.split(separator: ".", omittingEmptySubsequences: false).map(String.init) }
  }

  struct Literal: Hashable {
    enum Value: Hashable {
      case null
      case bool(Bool)
      case number(String)
      case date(String)
      case string(String)
    }
    var value: Value
    var column: Int
  }
}
