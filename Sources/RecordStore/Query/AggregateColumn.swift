import Foundation
import LMDB

/// One function's state for every group. A class each, so that a row costs one dynamic call a function. The plain ones
/// do without the check of exclusive access, which would cost as much again: nothing is called while they add.
class AggregateColumn {
  /// A further group, with the next number.
  func addGroup() { preconditionFailure("every kind of column has groups") }
  /// A record of a group; nil: the field is null.
  func add(_ bytes: RawBytes?, to group: Int) { preconditionFailure("every kind of column takes records") }
  func value(_ group: Int) -> AggregateValue { preconditionFailure("every kind of column has values") }

  /// Whether groups of this can be added to those of another.
  var canBeAdded: Bool { true }
  /// Adds each group of a column of the same kind to a group of this one, whose records come before.
  func add(_ other: AggregateColumn, to groups: [Int]) {
    preconditionFailure("every kind of column whose groups can be added adds them")
  }

  /// The other column as one of this kind.
  final func alike<Column: AggregateColumn>(_ other: AggregateColumn, _ kind: Column.Type) -> Column {
    guard let other = other as? Column else { preconditionFailure("columns of one function are of one kind") }
    return other
  }

  /// Adds a record each to its group. In its own method a column is not counted once a record.
  func add(_ rows: [QueryRow], _ reader: PathReader?, to groups: [Int]) throws {
    guard let reader else {
      for group in groups { add(nil, to: group) }
      return
    }
    for (row, group) in zip(rows, groups) { add(try reader.bytes(in: row), to: group) }
  }

  /// Throws `invalidRequest` for a sum of what can not be added, or an order of what has none.
  static func column(_ function: AggregateFunction, of type: FieldType?) throws -> AggregateColumn {
    guard let type else { return CountColumn(countsNull: true) }
    switch function {
    case .count, .countValues: return CountColumn(countsNull: false)
    case .countDistinct: return DistinctColumn(type)
    case .sum:
      switch type {
      case .int: return IntegerSumColumn()
      case .uint: return UnsignedSumColumn()
      case .double: return DoubleSumColumn()
      case .decimal: return DecimalSumColumn()
      default: throw StoreError(.invalidRequest, "values of type \(type) have no sum: sum a number")
      }
    case .minimum, .maximum:
      guard [.int, .uint, .double, .decimal, .date, .string].contains(type) else {
        throw StoreError(.invalidRequest, "values of type \(type) have no order: take the minimum of another field")
      }
      return ExtremeColumn(type, isMaximum: function.isMaximum)
    }
  }
}

extension AggregateFunction {
  fileprivate var isMaximum: Bool { if case .maximum = self { true } else { false } }
}

private final class CountColumn: AggregateColumn {
  private let countsNull: Bool
  @exclusivity(unchecked) private var counts: [Int] = []
  init(countsNull: Bool) { self.countsNull = countsNull }
  override func addGroup() { counts.append(0) }
  override func add(_ bytes: RawBytes?, to group: Int) { if countsNull || bytes != nil { counts[group] += 1 } }
  override func add(_ other: AggregateColumn, to groups: [Int]) {
    let other = alike(other, Self.self)
    for (count, group) in zip(other.counts, groups) { counts[group] += count }
  }
  override func value(_ group: Int) -> AggregateValue { .count(counts[group]) }
}

private final class DistinctColumn: AggregateColumn {
  private let type: FieldType
  private var counts: [Int] = []
  private var seen = GroupTable()
  private var encoder = KeyEncoder()
  override var canBeAdded: Bool { false }
  init(_ type: FieldType) { self.type = type }
  override func addGroup() { counts.append(0) }
  override func add(_ bytes: RawBytes?, to group: Int) {
    guard let bytes else { return }
    encoder.removeAll()
    encoder.append(.int(Int64(group)))
    encoder.append(encoded: bytes, type: type)
    if encoder.withRawBytes({ seen.group(of: $0).isNew }) { counts[group] += 1 }
  }
  override func value(_ group: Int) -> AggregateValue { .count(counts[group]) }
}

// Two classes, as one with a type parameter would ask the runtime for its type at each record.

private final class IntegerSumColumn: AggregateColumn {
  @exclusivity(unchecked) private var sums: [Int128] = []
  override func addGroup() { sums.append(0) }
  override func add(_ bytes: RawBytes?, to group: Int) {
    if let value = bytes.flatMap({ Int64.load($0) }) { sums[group] += Int128(value) }
  }
  override func add(_ other: AggregateColumn, to groups: [Int]) {
    let other = alike(other, Self.self)
    for (sum, group) in zip(other.sums, groups) { sums[group] += sum }
  }
  override func value(_ group: Int) -> AggregateValue { .integer(sums[group]) }
}

private final class UnsignedSumColumn: AggregateColumn {
  @exclusivity(unchecked) private var sums: [Int128] = []
  override func addGroup() { sums.append(0) }
  override func add(_ bytes: RawBytes?, to group: Int) {
    if let value = bytes.flatMap({ UInt64.load($0) }) { sums[group] += Int128(value) }
  }
  override func add(_ other: AggregateColumn, to groups: [Int]) {
    let other = alike(other, Self.self)
    for (sum, group) in zip(other.sums, groups) { sums[group] += sum }
  }
  override func value(_ group: Int) -> AggregateValue { .integer(sums[group]) }
}

private final class DoubleSumColumn: AggregateColumn {
  /// The sum, and what was lost of it by rounding (Neumaier's form of Kahan's sum).
  @exclusivity(unchecked) private var sums: [(sum: Double, lost: Double)] = []
  override func addGroup() { sums.append((0, 0)) }
  override func add(_ bytes: RawBytes?, to group: Int) {
    if let value = bytes.flatMap({ Double.load($0) }) { add(value, to: &sums[group]) }
  }

  /// The sum that most programs ask for is spared the dynamic call a record.
  override func add(_ rows: [QueryRow], _ reader: PathReader?, to groups: [Int]) throws {
    guard let reader else { return }
    var sums = sums
    // One owner, or each batch would copy them.
    self.sums = []
    defer { self.sums = sums }
    for (row, group) in zip(rows, groups) {
      if let value = try reader.bytes(in: row).flatMap({ Double.load($0) }) { add(value, to: &sums[group]) }
    }
  }

  /// Beyond all finite numbers the order of the records counts.
  override var canBeAdded: Bool { sums.allSatisfy { $0.sum.isFinite } }
  override func add(_ other: AggregateColumn, to groups: [Int]) {
    let other = alike(other, Self.self)
    for (sum, group) in zip(other.sums, groups) {
      add(sum.sum, to: &sums[group])
      sums[group].lost += sum.lost
    }
  }

  @inline(__always)
  private func add(_ value: Double, to sum: inout (sum: Double, lost: Double)) {
    let new = sum.sum + value
    sum.lost += abs(sum.sum) >= abs(value) ? (sum.sum - new) + value : (value - new) + sum.sum
    sum.sum = new
  }
  override func value(_ group: Int) -> AggregateValue {
    // Beyond all finite numbers nothing was lost that could be added.
    .double(sums[group].sum.isFinite ? sums[group].sum + sums[group].lost : sums[group].sum)
  }
}

private final class DecimalSumColumn: AggregateColumn {
  private var sums: [DecimalSum] = []
  override func addGroup() { sums.append(DecimalSum()) }
  override func add(_ bytes: RawBytes?, to group: Int) {
    if let parts = bytes.flatMap({ DecimalParts(encoded: $0) }) { sums[group].add(parts) }
  }
  override func add(_ other: AggregateColumn, to groups: [Int]) {
    let other = alike(other, Self.self)
    for (sum, group) in zip(other.sums, groups) { sums[group].add(sum) }
  }
  override func value(_ group: Int) -> AggregateValue { .decimal(sums[group]) }
}

private final class ExtremeColumn: AggregateColumn {
  private let type: FieldType
  private let wanted: FieldOrder
  private var best: [[UInt8]?] = []

  init(_ type: FieldType, isMaximum: Bool) {
    self.type = type
    wanted = isMaximum ? .greater : .less
  }

  override func addGroup() { best.append(nil) }
  override func add(_ bytes: RawBytes?, to group: Int) {
    guard let bytes, isNumber(bytes) else { return }
    if let known = best[group], known.withRawBytes({ FieldOrder(bytes, $0, type: type) }) != wanted { return }
    best[group] = bytes.copied()
  }

  override func add(_ other: AggregateColumn, to groups: [Int]) {
    let other = alike(other, Self.self)
    for (bytes, group) in zip(other.best, groups) { bytes?.withRawBytes { add($0, to: group) } }
  }

  /// Whether it is equal to itself.
  private func isNumber(_ bytes: RawBytes) -> Bool {
    switch type {
    case .double, .date: Double.load(bytes).map { !$0.isNaN } ?? false
    case .decimal: DecimalParts(encoded: bytes).map { !$0.isNotANumber } ?? false
    default: true
    }
  }

  override func value(_ group: Int) -> AggregateValue {
    guard let bytes = best[group] else { return .value(.null) }
    return .value(bytes.withRawBytes { FieldValue(encoded: $0, type: type)?.resolved } ?? .null)
  }
}
