import Foundation
import RecordStore

/// Sort descriptors as the store's sort keys; nil where the store could order otherwise than Swift.
enum SortTranslation {
  static func keys<Model: PersistentModel>(
    _ descriptors: [SortDescriptor<Model>], in table: PropertyTable
  ) -> [RecordQuery.SortKey]? {
    var keys: [RecordQuery.SortKey] = []
    for descriptor in descriptors {
      // Swift's own string order is the store's; a comparator of Foundation's is decided by Foundation.
      guard descriptor.stringComparator == nil, let keyPath = descriptor.keyPath,
        var key = key(keyPath, in: table)
      else { return nil }
      key.isDescending = descriptor.order == .reverse
      keys.append(key)
    }
    return keys
  }

  static func key(_ keyPath: AnyKeyPath, in table: PropertyTable) -> RecordQuery.SortKey? {
    if let property = table.property(at: keyPath) {
      return path(to: property, in: table, isOrdered: \.isOrderedAsStored).map { RecordQuery.SortKey($0) }
    }
    for property in table.description.properties {
      if keyPath == property.keyPath.appending(path: \Bool._sortRank) {
        return path(to: property, in: table, isOrdered: \.isBool).map { RecordQuery.SortKey($0) }
      }
      if keyPath == property.keyPath.appending(path: \String._forPeople)
        || keyPath == property.keyPath.appending(path: \String?._forPeople)
      {
        return path(to: property, in: table, isOrdered: \.isOrderedAsStored).map {
          RecordQuery.SortKey($0, comparison: .localizedStandard)
        }
      }
      if let key = key(keyPath, through: property, in: table) { return key }
    }
    return nil
  }

  /// A property of an object that a property refers to: `\.trip.name`.
  private static func key(
    _ keyPath: AnyKeyPath, through property: PropertyDescription, in table: PropertyTable
  ) -> RecordQuery.SortKey? {
    let ordinal = table.ordinals[property.index]
    guard !property.isToMany, ordinal >= 0, let other = table.destination(property.index) else { return nil }
    for target in other.description.properties where keyPath == property.keyPath.appending(path: target.keyPath) {
      return path(to: target, in: other, isOrdered: \.isOrderedAsStored).map {
        RecordQuery.SortKey(FieldPath(ordinals: [ordinal] + $0.ordinals))
      }
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
  /// Whether the store's order is that of Swift's type.
  fileprivate var isOrderedAsStored: Bool { allows(isEquality: false) }
  fileprivate var isBool: Bool { plainType == Bool.self }
}
