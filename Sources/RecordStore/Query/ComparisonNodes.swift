import Foundation
import LMDB

/// The answers of a comparison, worked out once so that a row costs no `switch` over its kind.
struct ComparisonAnswers {
  let less, equal, greater, unordered: Bool
  /// Where the field is null and the constant is not: only "not equal" holds.
  let null: Bool

  init(_ comparison: RecordFilter.Comparison) {
    less = comparison.holds(for: .less)
    equal = comparison.holds(for: .equal)
    greater = comparison.holds(for: .greater)
    unordered = comparison.holds(for: .unordered)
    null = comparison == .notEqual
  }

  @inline(__always)
  func answer(for order: FieldOrder) -> Bool {
    switch order {
    case .less: less
    case .equal: equal
    case .greater: greater
    case .unordered: unordered
    }
  }
}

/// A type whose payload is loaded by one instruction.
protocol LoadableField: Comparable {
  static func load(_ bytes: RawBytes) -> Self?
}

extension LoadableField where Self: FixedWidthInteger {
  @inline(__always)
  static func load(_ bytes: RawBytes) -> Self? {
    bytes.count == MemoryLayout<Self>.size ? bytes.load(at: 0, as: Self.self) : nil
  }
}

extension UInt8: LoadableField {}
extension Int64: LoadableField {}
extension UInt64: LoadableField {}
extension Double: LoadableField {
  @inline(__always)
  static func load(_ bytes: RawBytes) -> Double? { UInt64.load(bytes).map { Double(bitPattern: $0) } }
}
extension RecordID: LoadableField {
  @inline(__always)
  static func load(_ bytes: RawBytes) -> RecordID? { RecordID(bytes: bytes) }
}

/// A field against a constant, for types of fixed width.
final class FixedComparisonNode<Value: LoadableField>: FilterNode {
  let path: PathReader
  let constant: Value
  let answers: ComparisonAnswers

  init(_ path: PathReader, _ comparison: RecordFilter.Comparison, _ constant: Value) {
    self.path = path
    self.constant = constant
    answers = ComparisonAnswers(comparison)
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    guard let bytes = try path.bytes(in: row), let value = Value.load(bytes) else { return answers.null }
    if value < constant { return answers.less }
    if value == constant { return answers.equal }
    return value > constant ? answers.greater : answers.unordered
  }
}

/// A field against a constant, for types of any length. Equality of texts is decided by the bytes alone
/// wherever both are plain.
final class BytesComparisonNode: FilterNode {
  let path: PathReader
  let type: FieldType
  let constant: EncodedValue
  let answers: ComparisonAnswers

  init(_ path: PathReader, _ comparison: RecordFilter.Comparison, _ constant: FieldValue) {
    self.path = path
    type = path.type
    self.constant = EncodedValue(constant)
    answers = ComparisonAnswers(comparison)
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    guard let bytes = try path.bytes(in: row) else { return answers.null }
    return answers.answer(for: FieldOrder(bytes, constant.bytes, type: type))
  }
}

/// Two fields of one record, or of records that it refers to.
final class FieldComparisonNode: FilterNode {
  let left: PathReader
  let right: PathReader
  let comparison: RecordFilter.Comparison

  init(_ left: PathReader, _ comparison: RecordFilter.Comparison, _ right: PathReader) {
    self.left = left
    self.right = right
    self.comparison = comparison
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    let leftBytes = try left.bytes(in: row)
    let rightBytes = try right.bytes(in: row)
    guard let leftBytes, let rightBytes else {
      let isEqual = leftBytes == nil && rightBytes == nil
      return isEqual ? comparison == .equal : comparison == .notEqual
    }
    return comparison.holds(for: FieldOrder(leftBytes, rightBytes, type: left.type))
  }
}

/// A field against many constants, by their keys: equal values have equal keys.
final class MembershipNode: FilterNode {
  let path: PathReader
  let keys: Set<[UInt8]>
  private var encoder = KeyEncoder()

  init(_ path: PathReader, _ values: [FieldValue]) {
    self.path = path
    keys = Set(
      values.lazy.filter { !$0.isNotANumber }.map { value in
        var encoder = KeyEncoder()
        encoder.append(value)
        return encoder.bytes
      })
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    encoder.removeAll()
    encoder.append(encoded: try path.bytes(in: row), type: path.type)
    return keys.contains(encoder.bytes)
  }
}

extension FieldValue {
  /// Equal to nothing, itself included.
  var isNotANumber: Bool {
    switch self {
    case .double(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }
}
