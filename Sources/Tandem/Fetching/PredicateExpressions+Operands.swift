import Foundation
import RecordStore

extension PredicateExpressions.Value: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? { .constant(value) }
}

extension PredicateExpressions.NilLiteral: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? { .constant(Wrapped?.none as Any) }
}

extension PredicateExpressions.Variable: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? { translator.operand(of: key) }
}

extension PredicateExpressions.KeyPath: OperandExpression {
  func operand(_ translator: inout PredicateTranslator) -> PredicateOperand? {
    let root = translator.operand(root)
    if let root, TextKey.isSearchKey(keyPath, of: Root.Output.self) { return .searchKey(root) }
    return switch root {
    case .object(let object): property(of: object)
    case .field(let field): property(of: field)
    case .related(let name, _, let filter): property(of: name, filter)
    default: nil
    }
  }

  private func property(of object: PredicateOperand.Object) -> PredicateOperand? {
    if let property = object.table.property(at: keyPath) { return .property(property, of: object) }
    return object.table.isIdentifier(keyPath) ? .identifier(object) : nil
  }

  private func property(of field: PredicateOperand.Field) -> PredicateOperand? {
    if keyPath == \String.isEmpty { return .condition(.compare(field.path, .equal, .string(""))) }
    guard let type = field.plainType as? any RawRepresentable.Type else { return nil }
    return rawValue(of: field, type)
  }

  private func rawValue<Raw: RawRepresentable>(
    of field: PredicateOperand.Field, _ type: Raw.Type
  ) -> PredicateOperand? {
    guard isRawValue(type), let codec = AttributeCodec(valueType: Raw.RawValue.self, forcesCodable: false) else {
      return nil
    }
    return .field(
      PredicateOperand.Field(
        path: field.path, codec: codec, plainType: Raw.RawValue.self, isOptional: field.isOptional))
  }

  /// Key paths of a type do not say that they name its raw value, so it is seen from all values, where
  /// these are known.
  private func isRawValue<Raw: RawRepresentable>(_ type: Raw.Type) -> Bool {
    guard let path = keyPath as? Swift.KeyPath<Raw, Raw.RawValue>, let cases = type as? any CaseIterable.Type else {
      return false
    }
    return Self.allCases(of: cases).allSatisfy { value in
      guard let value = value as? Raw else { return false }
      return AnyEquality.equal(value[keyPath: path], value.rawValue)
    }
  }

  private static func allCases<Cases: CaseIterable>(of type: Cases.Type) -> [Any] { type.allCases.map { $0 } }

  private func property(of relationship: String, _ filter: RecordFilter) -> PredicateOperand? {
    guard let collection = Root.Output.self as? any RelationshipCollection.Type else { return nil }
    return Self.property(keyPath, of: collection, relationship, filter)
  }

  private static func property<C: RelationshipCollection>(
    _ keyPath: AnyKeyPath, of type: C.Type, _ relationship: String, _ filter: RecordFilter
  ) -> PredicateOperand? {
    switch keyPath {
    case \[C.PersistentElement].count: .relatedCount(relationship, filter)
    case \[C.PersistentElement].isEmpty:
      .condition(.countRelated(relationship: relationship, filter, .equal, 0))
    default: nil
    }
  }
}

/// Equality of values of unknown type.
enum AnyEquality {
  static func equal(_ left: Any, _ right: Any) -> Bool {
    guard let left = left as? any Equatable else { return false }
    return equal(left, right)
  }
  private static func equal<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { left == right as? Value }
}
