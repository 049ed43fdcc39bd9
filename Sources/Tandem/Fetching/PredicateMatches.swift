public import Foundation

/// The objects that satisfy a predicate, for other predicates to ask.
///
/// ```swift
/// let long = PredicateMatches(#Predicate<Trip> { $0.nights > 7 })
/// let coded = #Predicate<Trip> { long.contains($0) && $0.code == "A2" }
/// let leads = #Predicate<Traveler> { $0.trips.contains { long.contains($0) } }
/// ```
///
/// A fetch looks into it: what an index answers for the predicate, it answers here too. Outside of a fetch,
/// `contains` evaluates the predicate; an object for which that fails, such as by a forced unwrap of nil, is not
/// contained.
///
/// A sequence only because predicates ask sequences. It knows which objects belong to it and not where they are, so it
/// iterates over nothing.
public struct PredicateMatches<Element: PersistentModel>: Sequence, Sendable {
  /// The predicate that decides.
  public let predicate: Predicate<Element>

  /// The objects that satisfy a predicate. Nothing is fetched.
  public init(_ predicate: Predicate<Element>) { self.predicate = predicate }

  /// An iterator over nothing.
  public func makeIterator() -> EmptyCollection<Element>.Iterator { EmptyCollection<Element>().makeIterator() }

  /// How `contains` asks a sequence that knows better than to iterate.
  public func _customContainsEquatableElement(_ element: Element) -> Bool? {
    ResidualPredicate(predicate).accepts(element)
  }
}

extension PredicateMatches: CustomStringConvertible {
  /// The predicate's text.
  public var description: String { "matches of \(predicate)" }
}

/// Predicates keep only `Codable` values. On Linux a predicate itself is not, so this refuses.
extension PredicateMatches: Codable {
  /// Refuses.
  /// - Throws: `DecodingError`, always.
  public init(from decoder: any Decoder) throws {
    throw MadeInCode.refusal(of: "A predicate", decoder)
  }

  /// Refuses.
  /// - Throws: `EncodingError`, always.
  public func encode(to encoder: any Encoder) throws {
    throw MadeInCode.refusal(of: "A predicate", self, encoder)
  }
}

/// ``PredicateMatches`` of whatever class.
protocol AnyPredicateMatches {
  var variable: PredicateExpressions.VariableID { get }
  var expression: any StandardPredicateExpression<Bool> { get }
  /// As the predicate evaluates, errors included.
  func evaluate(_ element: Any) throws -> Bool
}

extension PredicateMatches: AnyPredicateMatches {
  var variable: PredicateExpressions.VariableID { predicate.variable.key }
  var expression: any StandardPredicateExpression<Bool> { predicate.expression }
  func evaluate(_ element: Any) throws -> Bool {
    guard let element = element as? Element else { return false }
    return try ResidualPredicate(predicate).evaluate(element)
  }
}
