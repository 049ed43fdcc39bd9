import ForeignLayouts
import Foundation
import RecordStore
import Synchronization

/// The knowledge of one class in its store that translates predicates and sort orders: the field that
/// each key path names. A class, as operands that carry it are copied often.
final class PropertyTable {
  let description: ModelDescription
  /// Per property the field's ordinal; -1 where the value does not lie in this entity's records.
  let ordinals: ContiguousArray<Int>
  /// The classes that share the entity; nil for one that has it alone.
  let family: ClassFamily?
  /// The ordinals of the properties that a unique index holds alone.
  let uniqueOrdinals: Set<Int>
  /// Per relationship the other side's table.
  let destination: (Int) -> PropertyTable?
  /// By the type of a predicate's expression; nil for those that have no shape.
  private let shapes = Mutex<[ObjectIdentifier: PredicateShape?]>([:])
  /// The outcomes of sort orders, by the address of their key path.
  private let sortKeys = Mutex<[ObjectIdentifier: KnownSortKey]>([:])
  /// Programs sort by few key paths; if one makes them as it goes, not all are kept.
  private static let maximumSortKeys = 64

  init(
    description: ModelDescription, ordinals: ContiguousArray<Int>, family: ClassFamily? = nil,
    uniqueOrdinals: Set<Int> = [], destination: @escaping (Int) -> PropertyTable?
  ) {
    self.description = description
    self.ordinals = ordinals
    self.family = family
    self.uniqueOrdinals = uniqueOrdinals
    self.destination = destination
  }

  /// The condition that an expression of a known shape says; nil where it takes a translator.
  func condition(of expression: any StandardPredicateExpression<Bool>) -> KnownCondition? {
    condition(opened: expression)
  }

  private func condition<Expression: StandardPredicateExpression>(opened expression: Expression) -> KnownCondition? {
    guard ForeignLayout.predicates.isOn else { return nil }
    let type = ObjectIdentifier(Expression.self)
    let known = shapes.withLock { $0[type] } ?? note(PredicateShape(Expression.self), of: type)
    guard let known else { return nil }
    // A pointer, because a shape loads parts of the expression by their offsets.
    return withUnsafePointer(to: expression) { pointer in
      guard known.isTested || known.passesTest(with: expression, at: UnsafeRawPointer(pointer)) else { return nil }
      var learned: PredicateShape?
      if let condition = known.condition(UnsafeRawPointer(pointer), in: self, learned: &learned) { return condition }
      // Nothing learned: the shape knows that it takes a translator.
      guard let learned else { return nil }
      _ = note(learned, of: type)
      var more: PredicateShape?
      return learned.condition(UnsafeRawPointer(pointer), in: self, learned: &more)
    }
  }

  /// The store's order by a key path; nil where it could be another than Swift's.
  func sortKey(_ keyPath: AnyKeyPath) -> RecordQuery.SortKey? {
    let place = ObjectIdentifier(keyPath)
    if let known = sortKeys.withLock({ $0[place] }) { return known.key }
    let made = KnownSortKey(keyPath: keyPath, key: SortTranslation.key(keyPath, in: self))
    sortKeys.withLock { if $0.count < Self.maximumSortKeys { $0[place] = made } }
    return made.key
  }

  // @unchecked: immutable; a key path carries no mark.
  private struct KnownSortKey: @unchecked Sendable {
    /// Kept, so that no other key path gets its address.
    let keyPath: AnyKeyPath
    let key: RecordQuery.SortKey?
  }

  private func note(_ shape: PredicateShape?, of type: ObjectIdentifier) -> PredicateShape? {
    shapes.withLock { $0[type] = .some(shape) }
    return shape
  }

  /// The property that a key path names; nil for computed properties and longer paths.
  func property(at keyPath: AnyKeyPath) -> PropertyDescription? {
    description.index(of: keyPath).map { description.properties[$0] }
  }

  /// Whether a key path names the object's identifier.
  func isIdentifier(_ keyPath: AnyKeyPath) -> Bool { Self.isIdentifier(keyPath, of: description.type) }

  private static func isIdentifier<M: PersistentModel>(_ keyPath: AnyKeyPath, of type: M.Type) -> Bool {
    // The type says which `id` is meant: the library's, and not one that the class declares.
    let id: KeyPath<M, PersistentIdentifier> = \.id
    let persistentModelID: KeyPath<M, PersistentIdentifier> = \.persistentModelID
    return keyPath == persistentModelID || keyPath == id
  }
}
