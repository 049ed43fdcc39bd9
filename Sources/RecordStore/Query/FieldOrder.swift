import Foundation
import LMDB

/// How two payloads of one type compare. Not-a-number compares with nothing, as in Swift.
package enum FieldOrder {
  case less, equal, greater, unordered

  init<Value: Comparable>(_ left: Value, _ right: Value) {
    self = left < right ? .less : left == right ? .equal : left > right ? .greater : .unordered
  }

  init(ordinal: Int) {
    self = ordinal < 0 ? .less : ordinal == 0 ? .equal : .greater
  }

  /// Compares two payloads of a type; damaged ones compare with nothing.
  init(_ left: RawBytes, _ right: RawBytes, type: FieldType) {
    if let width = type.fixedByteCount, left.count != width || right.count != width {
      self = .unordered
      return
    }
    switch type {
    case .bool: self.init(left.load(at: 0, as: UInt8.self), right.load(at: 0, as: UInt8.self))
    case .int: self.init(left.load(at: 0, as: Int64.self), right.load(at: 0, as: Int64.self))
    case .uint: self.init(left.load(at: 0, as: UInt64.self), right.load(at: 0, as: UInt64.self))
    case .double, .date:
      self.init(
        Double(bitPattern: left.load(at: 0, as: UInt64.self)), Double(bitPattern: right.load(at: 0, as: UInt64.self)))
    case .data: self.init(data: left, right)
    case .uuid, .reference, .composite: self.init(ordinal: left.compare(right))
    case .decimal: self.init(decimal: left, right)
    case .string, .url: self.init(text: left, right)
    }
  }

  /// Two values in memory as their payloads compare.
  package init<Value: Comparable>(of left: Value, _ right: Value) {
    if Value.self == String.self, let left = left as? String, let right = right as? String {
      var outcome = FieldOrder.equal
      left.withRawBytes { left in right.withRawBytes { outcome = FieldOrder(text: left, $0) } }
      self = outcome
    } else if Value.self == Decimal.self, let left = left as? Decimal, let right = right as? Decimal {
      self.init(DecimalParts(left), DecimalParts(right))
    } else {
      self.init(left, right)
    }
  }

  /// Whether Swift's own operators may order values of a type otherwise. Foundation's `Decimal` that is not a number is
  /// equal to itself and less than all others. Of two texts neither is less where a decomposed one begins the other
  /// ("e\u{301}" and "\u{E9}f", Swift 6.3), and a sort by that leaves others out of order as well.
  package static func differsFromSwift(for type: Any.Type) -> Bool { type == String.self || type == Decimal.self }

  /// By the bytes of the values, wherever they lie. Equal references need no look at them.
  private init(data left: RawBytes, _ right: RawBytes) {
    let order = left.compare(right)
    guard order != 0, ExternalReference.isOne(left) || ExternalReference.isOne(right) else {
      self.init(ordinal: order)
      return
    }
    guard let left = ExternalFolders.content(of: left), let right = ExternalFolders.content(of: right) else {
      self = .unordered
      return
    }
    self.init(ordinal: left.withUnsafeBytes { left in right.withUnsafeBytes { RawBytes(left).compare(RawBytes($0)) } })
  }

  private init(decimal left: RawBytes, _ right: RawBytes) {
    guard let left = DecimalParts(encoded: left), let right = DecimalParts(encoded: right) else {
      self = .unordered
      return
    }
    self.init(left, right)
  }

  private init(_ left: DecimalParts, _ right: DecimalParts) {
    guard !left.isNotANumber, !right.isNotANumber else {
      self = .unordered
      return
    }
    self = left < right ? .less : left == right ? .equal : .greater
  }

  /// By the NFC form, as Swift orders texts. Plain texts are compared where they lie.
  private init(text left: RawBytes, _ right: RawBytes) {
    let order = left.compare(right)
    guard order != 0, !left.isNormalizedPlainly || !right.isNormalizedPlainly else {
      self.init(ordinal: order)
      return
    }
    var outcome = FieldOrder.equal
    CanonicalText.withNormalized(left) { left in
      CanonicalText.withNormalized(right) { outcome = FieldOrder(ordinal: left.compare($0)) }
    }
    self = outcome
  }
}

extension RecordFilter.Comparison {
  /// Whether the comparison holds for an order of its sides.
  package func holds(for order: FieldOrder) -> Bool {
    switch (self, order) {
    case (.equal, .equal), (.lessOrEqual, .equal), (.greaterOrEqual, .equal): true
    case (.notEqual, .less), (.notEqual, .greater), (.notEqual, .unordered): true
    case (.less, .less), (.lessOrEqual, .less): true
    case (.greater, .greater), (.greaterOrEqual, .greater): true
    default: false
    }
  }
}
