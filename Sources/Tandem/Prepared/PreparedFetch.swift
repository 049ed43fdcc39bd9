public import Foundation
import RecordStore

/// A fetch whose predicate is translated once, for values that are given later.
///
/// ```swift
/// let byNumber: PreparedFetch<Receipt, Int> = try context.prepare(
///   #Predicate { receipt, number in receipt.number == number })
/// let receipt = try byNumber.first(4711)
/// ```
/// Finds what a fetch with the values in its predicate finds at that moment, under every condition: with unsaved
/// changes, after saves of others, on a store that another process migrated. Belongs to the isolation of its context,
/// which it keeps, and is not `Sendable`.
///
/// Where each part of the predicate compares an attribute with a value, or has no value at all, a fetch puts the values
/// into the translation; for one value of a unique attribute that is a look-up. Any other predicate is translated at
/// each fetch, as ``ModelContext/fetch(_:)`` does.
public struct PreparedFetch<Model: PersistentModel, each Value: Codable & Sendable> {
  /// At most so many objects; nil: all.
  public var fetchLimit: Int?
  /// How many objects of the order are left out at its beginning; nil: none.
  public var fetchOffset: Int?
  /// Whether the result is that of a fetch after a save of the context (the default), or what the store holds.
  public var includePendingChanges = true

  private let context: ModelContext
  private let predicate: ParameterPredicate<Model>
  private let sortBy: [SortDescriptor<Model>]
  /// Nil where each fetch translates its predicate.
  private let template: FetchTemplate?

  init(_ context: ModelContext, _ predicate: ParameterPredicate<Model>, _ sortBy: [SortDescriptor<Model>]) throws {
    self.context = context
    self.predicate = predicate
    self.sortBy = sortBy
    template = FetchTemplate(predicate, sortBy, try context.core.binding(of: Model.self))
  }

  /// The objects that satisfy the predicate with these values, in its order.
  ///
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public func fetch(_ value: repeat each Value) throws -> [Model] {
    let values = list(repeat each value)
    switch try answer(values, fetchLimit) {
    case .none: return []
    // The class of what a fetch finds is the one that it names.
    case .one(let object): return [unsafeDowncast(object, to: Model.self)]
    case .many(var found): return found.takeAll(as: Model.self)
    case .unanswered: return try context.fetch(descriptor(values, fetchLimit))
    }
  }

  /// The first object that satisfies the predicate with these values; nil without one, or behind ``fetchLimit``.
  ///
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public func first(_ value: repeat each Value) throws -> Model? {
    let values = list(repeat each value)
    let limit = min(fetchLimit ?? 1, 1)
    switch try answer(values, limit) {
    case .none: return nil
    // As above.
    case .one(let object): return unsafeDowncast(object, to: Model.self)
    case .many(var found): return found.takeAll(as: Model.self).first
    case .unanswered: return try context.fetch(descriptor(values, limit)).first
    }
  }

  /// How many objects ``fetch(_:)`` would give with these values.
  ///
  /// - Throws: what ``ModelContext/fetch(_:)`` throws.
  public func count(_ value: repeat each Value) throws -> Int {
    try context.fetchCount(descriptor(list(repeat each value), fetchLimit))
  }

  private func list(_ value: repeat each Value) -> [any Sendable] {
    var values: [any Sendable] = []
    for one in repeat each value { values.append(one) }
    return values
  }

  private func answer(_ values: [any Sendable], _ limit: Int?) throws -> ModelContext.PlainAnswer {
    guard let template else { return .unanswered }
    return try context.objects(
      by: template, values, FetchTemplate.Window(limit, fetchOffset, includesPendingChanges: includePendingChanges))
  }

  private func descriptor(_ values: [any Sendable], _ limit: Int?) -> FetchDescriptor<Model> {
    var descriptor = FetchDescriptor(predicate: predicate.bound(to: values), sortBy: sortBy)
    descriptor.fetchLimit = limit
    descriptor.fetchOffset = fetchOffset
    descriptor.includePendingChanges = includePendingChanges
    return descriptor
  }
}

extension ModelContext {
  /// Prepares a fetch whose predicate takes a value beside the object.
  ///
  /// ```swift
  /// let byNumber = try context.prepare(#Predicate<Receipt, Int> { receipt, number in receipt.number == number })
  /// let receipt = try byNumber.first(4711)
  /// ```
  /// - Throws: `SwiftDataError.unknownSchema` for a class that the container does not have.
  public func prepare<Model: PersistentModel, Value: Codable & Sendable>(
    _ predicate: Predicate<Model, Value>, sortBy: [SortDescriptor<Model>] = []
  ) throws -> PreparedFetch<Model, Value> {
    try PreparedFetch(self, ParameterPredicate(predicate), sortBy)
  }

  // The compiler matches a pack behind a class with one type and with no more, so each number has a function.

  /// Prepares a fetch whose predicate takes two values beside the object.
  ///
  /// - Throws: `SwiftDataError.unknownSchema` for a class that the container does not have.
  public func prepare<Model: PersistentModel, First: Codable & Sendable, Second: Codable & Sendable>(
    _ predicate: Predicate<Model, First, Second>, sortBy: [SortDescriptor<Model>] = []
  ) throws -> PreparedFetch<Model, First, Second> {
    try PreparedFetch(self, ParameterPredicate(predicate), sortBy)
  }

  /// Prepares a fetch whose predicate takes three values beside the object.
  ///
  /// - Throws: `SwiftDataError.unknownSchema` for a class that the container does not have.
  public func prepare<
    Model: PersistentModel, First: Codable & Sendable, Second: Codable & Sendable, Third: Codable & Sendable
  >(
    _ predicate: Predicate<Model, First, Second, Third>, sortBy: [SortDescriptor<Model>] = []
  ) throws -> PreparedFetch<Model, First, Second, Third> {
    try PreparedFetch(self, ParameterPredicate(predicate), sortBy)
  }
}
