import Foundation
import RecordStore

/// Loads one constant from a predicate expression's memory; see ``PredicateShape``. A pointer file.
// @unchecked: immutable, as its subclasses are; a metatype carries no mark.
class ConstantReader: @unchecked Sendable {
  let type: any Any.Type
  let fieldType: FieldType
  let offset: Int

  init(_ type: any Any.Type, _ fieldType: FieldType, at offset: Int) {
    self.type = type
    self.fieldType = fieldType
    self.offset = offset
  }

  /// Nil for a value that the translator must look at.
  func value(in expression: UnsafeRawPointer) -> FieldValue? {
    preconditionFailure("every kind of constant says how it is loaded")
  }

  /// Whether a constant is the one that is loaded.
  func agrees(with constant: Any, in expression: UnsafeRawPointer) -> Bool {
    preconditionFailure("every kind of constant says how it is compared")
  }

  /// Nil for types whose values can mean something else in the store than in Swift, or are nil.
  static func reader<Value>(of type: Value.Type, at offset: Int) -> ConstantReader? {
    if let type = type as? any PrimitiveAttribute.Type {
      guard type._fieldType != .data, type._fieldType != .url else { return nil }
      return primitive(type, at: offset)
    }
    guard !(type is any CustomReflectable.Type), let type = type as? any (RawRepresentable & CaseIterable).Type else {
      return nil
    }
    return raw(type, at: offset)
  }

  private static func primitive<Value: PrimitiveAttribute>(_ type: Value.Type, at offset: Int) -> ConstantReader? {
    PrimitiveConstant<Value>(type, Value._fieldType, at: offset)
  }

  private static func raw<Value: RawRepresentable & CaseIterable>(
    _ type: Value.Type, at offset: Int
  ) -> ConstantReader? {
    // An enumeration is equal by its case; another type may have an equality of its own.
    guard let first = type.allCases.first, Mirror(reflecting: first).displayStyle == .enum,
      let rawType = Value.RawValue.self as? any PrimitiveAttribute.Type
    else { return nil }
    return raw(type, over: rawType, at: offset)
  }

  private static func raw<Value: RawRepresentable, Raw: PrimitiveAttribute>(
    _ type: Value.Type, over: Raw.Type, at offset: Int
  ) -> ConstantReader? {
    RawConstant<Value, Raw>(type, Raw._fieldType, at: offset)
  }
}

// @unchecked: adds nothing to its superclass.
private final class PrimitiveConstant<Value: PrimitiveAttribute>: ConstantReader, @unchecked Sendable {
  override func value(in expression: UnsafeRawPointer) -> FieldValue? {
    let value = expression.load(fromByteOffset: offset, as: Value.self)._fieldValue
    switch value {
    case .double(let number) where number.isNaN: return nil
    case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: return nil
    case .decimal(let number) where number.isNaN: return nil
    default: return value
    }
  }

  /// By its bytes: wrong ones must not be taken for a text.
  override func agrees(with constant: Any, in expression: UnsafeRawPointer) -> Bool {
    guard let constant = constant as? Value else { return false }
    return withUnsafeBytes(of: constant) { known in
      known.elementsEqual(UnsafeRawBufferPointer(start: expression + offset, count: known.count))
    }
  }
}

// @unchecked: adds nothing to its superclass.
private final class RawConstant<Value: RawRepresentable, Raw: PrimitiveAttribute>: ConstantReader, @unchecked Sendable {
  override func value(in expression: UnsafeRawPointer) -> FieldValue? {
    (expression.load(fromByteOffset: offset, as: Value.self).rawValue as? Raw)?._fieldValue
  }

  override func agrees(with constant: Any, in expression: UnsafeRawPointer) -> Bool {
    guard let constant = constant as? Value else { return false }
    return (constant.rawValue as? Raw)?._fieldValue == value(in: expression)
  }
}
