import Foundation
import RecordStore

/// Sort descriptors as the store's sort keys; nil where the store could order otherwise than Swift.
enum SortTranslation {
  static func keys<Model: PersistentModel>(
    _ descriptors: [SortDescriptor<Model>], in table: PropertyTable
  ) -> [RecordQuery.SortKey]? {
    var keys: [RecordQuery.SortKey] = []
    for descriptor in descriptors {
      guard isOrderedAsStored(descriptor.stringComparator), let keyPath = descriptor.keyPath,
        var key = table.sortKey(keyPath)
      else { return nil }
      key.isDescending = descriptor.order == .reverse
      keys.append(key)
    }
    return keys
  }

  /// Without a comparator texts have Swift's own order, which is the store's.
  static func isOrderedAsStored(_ comparator: String.StandardComparator?) -> Bool {
    guard let comparator else { return true }
    #if canImport(Darwin)
      return false
    #else
      // `.lexical` is Swift's own order too, in Foundation for Linux.
      return String.StandardComparator(comparator, order: .forward) == .lexical
    #endif
  }

  static func key(_ keyPath: AnyKeyPath, in table: PropertyTable) -> RecordQuery.SortKey? {
    if let property = table.property(at: keyPath) {
      return path(to: property, in: table, isOrdered: \.isOrderedAsStored).map { RecordQuery.SortKey($0) }
    }
    for property in table.description.properties {
      if let key = key(keyPath, isStep: property, reachedBy: property.keyPath, in: table) { return key }
      if let key = key(keyPath, through: property, in: table) { return key }
    }
    return nil
  }

  /// A property as a person sees it, such as a Boolean one, which is not comparable by itself.
  private static func key(
    _ keyPath: AnyKeyPath, isStep property: PropertyDescription, reachedBy path: AnyKeyPath, in table: PropertyTable
  ) -> RecordQuery.SortKey? {
    if keyPath == path.appending(path: \Bool._sortRank) {
      return Self.path(to: property, in: table, isOrdered: \.isBool).map { RecordQuery.SortKey($0) }
    }
    guard keyPath == path.appending(path: \String._forPeople) || keyPath == path.appending(path: \String?._forPeople)
    else { return nil }
    return Self.path(to: property, in: table, isOrdered: \.isOrderedAsStored).map {
      RecordQuery.SortKey($0, comparison: .localizedStandard)
    }
  }

  /// A property of an object that a property refers to: `\.trip.name`. An optional chain, `\.trip?.name`, can not be
  /// told apart from other key paths, so Swift sorts by it.
  private static func key(
    _ keyPath: AnyKeyPath, through property: PropertyDescription, in table: PropertyTable
  ) -> RecordQuery.SortKey? {
    let ordinal = table.ordinals[property.index]
    guard !property.isToMany, ordinal >= 0, let other = table.destination(property.index) else { return nil }
    for target in other.description.properties {
      guard let path = property.keyPath.appending(path: target.keyPath) else { continue }
      guard
        var key = keyPath == path
          ? Self.path(to: target, in: other, isOrdered: \.isOrderedAsStored).map({ RecordQuery.SortKey($0) })
          : key(keyPath, isStep: target, reachedBy: path, in: other)
      else { continue }
      key.path = FieldPath(ordinals: [ordinal] + key.path.ordinals)
      return key
    }
    return nil
  }

  private static func path(
    to property: PropertyDescription, in table: PropertyTable, isOrdered: (PredicateOperand.Field) -> Bool
  ) -> FieldPath? {
    guard case .field(let field) = PredicateOperand.property(property, of: PredicateOperand.Object(table: table)),
      isOrdered(field)
    else { return nil }
    return field.path
  }
}

extension PredicateOperand.Field {
  /// Whether the store's order is that of Swift's type. A UUID's is that of its bytes in both, though no predicate asks
  /// for it.
  fileprivate var isOrderedAsStored: Bool { allows(isEquality: false) || plainType == UUID.self }
  fileprivate var isBool: Bool { plainType == Bool.self }
}
