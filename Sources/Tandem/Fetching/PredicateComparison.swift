import Foundation
import RecordStore

/// A comparison of two operands as a filter; nil where the store could decide otherwise than Swift.
struct PredicateComparison {
  let comparison: RecordFilter.Comparison
  init(_ comparison: RecordFilter.Comparison) { self.comparison = comparison }

  private var isEquality: Bool { comparison == .equal || comparison == .notEqual }

  func filter(_ left: PredicateOperand, _ right: PredicateOperand) -> RecordFilter? {
    switch (left, right) {
    case (.constant, .constant): nil
    case (.constant, _): PredicateComparison(comparison.mirrored).filter(right, left)
    case (.field(let field), .constant(let value)): filter(field, value)
    case (.field(let field), .field(let other)): filter(field, other)
    case (.coalesced(let field, let substitute), .constant(let value)): filter(field, or: substitute, value)
    case (.object(let object), .constant(let value)): filter(object, value)
    case (.identifier(let object), .constant(let value)): filter(identifierOf: object, value)
    case (.relatedCount(let name, let filter), .constant(let value as Int)):
      .countRelated(relationship: name, filter, comparison, value)
    case (.condition(let filter), .constant(let value)): isEquality ? compare(filter, value) : nil
    case (.optionalCondition(let path, let filter), .constant(let value)):
      isEquality ? compare(path, filter, value) : nil
    case (.guarded(let test, let operand), .constant(let value)): filter(test, operand, value)
    default: nil
    }
  }

  // MARK: Attributes

  private func filter(_ field: PredicateOperand.Field, _ value: Any) -> RecordFilter? {
    guard !isNil(value) else { return isEquality ? compareToNil(field.path, field.isOptional) : nil }
    switch storedValue(value, of: field) {
    case .unknown: return nil
    case .incomparable: return comparison == .notEqual ? .all : RecordFilter.none
    case .value(let value): return .compare(field.path, comparison, value)
    }
  }

  private func compareToNil(_ path: FieldPath, _ isOptional: Bool) -> RecordFilter {
    if isOptional { return .compare(path, comparison, .null) }
    return comparison == .equal ? .none : .all
  }

  private enum ComparedValue {
    case value(FieldValue)
    /// A value that is neither equal to any other nor less nor greater.
    case incomparable
    case unknown
  }

  private func storedValue(_ value: Any, of field: PredicateOperand.Field) -> ComparedValue {
    let value = unwrapped(value)
    guard field.allows(isEquality: isEquality), field.allows(value), let stored = field.codec.encode(value) else {
      return .unknown
    }
    return stored.isNotANumber ? .incomparable : .value(stored)
  }

  /// `(a ?? substitute) < value`
  private func filter(_ field: PredicateOperand.Field, or substitute: Any, _ value: Any) -> RecordFilter? {
    guard !isNil(value), !isNil(substitute), case .value(let stored) = storedValue(value, of: field),
      case .value(let instead) = storedValue(substitute, of: field),
      let isTrueForNil = comparison.holds(instead, stored)
    else { return nil }
    return compare(field.path, stored, whenNil: isTrueForNil)
  }

  private func compare(_ path: FieldPath, _ value: FieldValue, whenNil isTrueForNil: Bool) -> RecordFilter {
    let condition = RecordFilter.compare(path, comparison, value)
    // Only `!=`, among the comparisons with a value, holds for nil by itself.
    if isTrueForNil {
      return comparison == .notEqual ? condition : .or([.compare(path, .equal, .null), condition])
    }
    return comparison == .notEqual ? .and([.compare(path, .notEqual, .null), condition]) : condition
  }

  private func filter(_ field: PredicateOperand.Field, _ other: PredicateOperand.Field) -> RecordFilter? {
    guard field.plainType == other.plainType, !field.isRawRepresentable, field.allows(isEquality: isEquality),
      isEquality || !(field.isOptional || other.isOptional)
    else { return nil }
    return .compareFields(field.path, comparison, other.path)
  }

  // MARK: Objects

  private func filter(_ object: PredicateOperand.Object, _ value: Any) -> RecordFilter? {
    guard isEquality else { return nil }
    if isNil(value) { return compareToNil(object.path, object.isOptional) }
    guard let model = unwrapped(value) as? any PersistentModel else { return nil }
    return names(object, model._$storage.recordID)
  }

  private func filter(identifierOf object: PredicateOperand.Object, _ value: Any) -> RecordFilter? {
    guard isEquality else { return nil }
    if isNil(value) { return compareToNil(object.path, object.isOptional) }
    guard let identifier = unwrapped(value) as? PersistentIdentifier else { return nil }
    if let family = object.table.family { return filter(identifier, of: object, family) }
    guard identifier.entityName == object.table.description.name else {
      return comparison == .equal ? RecordFilter.none : .all
    }
    return names(object, identifier.recordID)
  }

  /// An identifier names the object's class as well.
  private func filter(
    _ identifier: PersistentIdentifier, of object: PredicateOperand.Object, _ family: ClassFamily
  ) -> RecordFilter? {
    guard let binding = family.binding(named: identifier.entityName) else {
      return comparison == .equal ? RecordFilter.none : .all
    }
    let named = PredicateComparison(.equal).names(object, identifier.recordID)
    let filter = RecordFilter.conjunction([named, family.exactFilter(binding, at: object.path)])
    return comparison == .equal ? filter : .negation(filter)
  }

  private func names(_ object: PredicateOperand.Object, _ id: RecordID) -> RecordFilter {
    guard object.path.ordinals.isEmpty else { return .compare(object.path, comparison, .reference(id)) }
    return comparison == .equal ? .ids([id]) : .not(.ids([id]))
  }

  // MARK: Conditions

  private func compare(_ filter: RecordFilter, _ value: Any) -> RecordFilter? {
    guard !isNil(value) else { return comparison == .equal ? RecordFilter.none : .all }
    guard let value = unwrapped(value) as? Bool else { return nil }
    return value == (comparison == .equal) ? filter : .negation(filter)
  }

  private func compare(_ path: FieldPath, _ filter: RecordFilter, _ value: Any) -> RecordFilter? {
    let absent = RecordFilter.compare(path, .equal, .null)
    guard !isNil(value) else { return comparison == .equal ? absent : .compare(path, .notEqual, .null) }
    guard let value = unwrapped(value) as? Bool else { return nil }
    let wanted = value ? filter : RecordFilter.negation(filter)
    let isEqual =
      wanted.isFalse(whenNil: path) ? wanted : RecordFilter.conjunction([.compare(path, .notEqual, .null), wanted])
    return comparison == .equal ? isEqual : .negation(isEqual)
  }
}
