import Foundation
import LMDB

/// A field against a constant, for types of fixed width.
final class FixedComparisonNode: FilterNode {
  enum Constant {
    case byte(UInt8)
    case int(Int64)
    case uint(UInt64)
    case double(Double)
    case id(RecordID)
  }
  let path: PathReader
  let constant: Constant
  let answers: ComparisonAnswers

  init(_ path: PathReader, _ comparison: RecordFilter.Comparison, _ constant: Constant) {
    self.path = path
    self.constant = constant
    answers = ComparisonAnswers(comparison)
  }

  override func passes(_ row: QueryRow) throws -> Bool {
    guard let bytes = try path.bytes(in: row) else { return answers.null }
    // The same way for all records of a scan, so it is foretold.
    switch constant {
    case .byte(let constant): return answer(for: bytes, constant)
    case .int(let constant): return answer(for: bytes, constant)
    case .uint(let constant): return answer(for: bytes, constant)
    case .double(let constant): return answer(for: bytes, constant)
    case .id(let constant): return answer(for: bytes, constant)
    }
  }

  @inline(__always)
  private func answer<Value: LoadableField>(for bytes: RawBytes, _ constant: Value) -> Bool {
    guard let value = Value.load(bytes) else { return answers.null }
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
