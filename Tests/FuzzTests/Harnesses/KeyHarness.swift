import Foundation
import LMDB

@testable import RecordStore

extension Harness {
  /// Keys of values: they sort as the values do, and none begins another.
  ///
  /// Input: type and direction, length of the first value, the bytes of both.
  static let key = Harness("key", maximumByteCount: 1500, errors: []) { bytes in
    guard bytes.count > 2 else { return }
    let types = FieldType.allCases
    let type = types[Int(bytes[0] & 0x7F) % types.count]
    let isDescending = bytes[0] & 0x80 != 0
    let rest = bytes[2...]
    let (first, second) = (Array(rest.prefix(Int(bytes[1]))), Array(rest.dropFirst(Int(bytes[1]))))
    try KeyHarness.checkPositions(first, second)
    guard let left = KeyHarness.value(first, type), let right = KeyHarness.value(second, type) else { return }
    let (leftKey, rightKey) = (KeyHarness.key(left, isDescending), KeyHarness.key(right, isDescending))
    let order = KeyHarness.order(left, right) * (isDescending ? -1 : 1)
    try promise(KeyHarness.compare(leftKey, rightKey) == order, "keys do not sort as their values: \(left), \(right)")
    try promise(order == 0 || !leftKey.starts(with: rightKey), "one key begins the other: \(left), \(right)")
    try promise(order == 0 || !rightKey.starts(with: leftKey), "one key begins the other: \(left), \(right)")
    for (payload, key) in [(first, leftKey), (second, rightKey)] {
      guard payload.withRawBytes({ type.isSpelledAsStored($0) }) else { continue }
      var encoder = KeyEncoder()
      payload.withRawBytes { encoder.append(encoded: $0, type: type, isDescending: isDescending) }
      try promise(encoder.bytes == key, "a payload has another key than its value")
      for limit in [IndexKeyLimit.ownTree, .sharedTree] {
        var cut = encoder
        cut.cut(to: limit)
        try promise(cut.count <= limit.componentByteCount, "a key is too long for its table")
      }
    }
  }
}

private enum KeyHarness {
  static func value(_ payload: [UInt8], _ type: FieldType) -> FieldValue? {
    payload.withRawBytes { FieldValue(encoded: $0, type: type) }
  }

  static func key(_ value: FieldValue, _ isDescending: Bool) -> [UInt8] {
    var encoder = KeyEncoder()
    encoder.append(value, isDescending: isDescending)
    return encoder.bytes
  }

  static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  /// -1, 0 or 1 as Swift compares values of one type; what is not a number comes last, and equals itself.
  static func order(_ left: FieldValue, _ right: FieldValue) -> Int {
    func order<Value: Comparable>(_ left: Value, _ right: Value, isLast: (Value) -> Bool = { _ in false }) -> Int {
      if isLast(left) || isLast(right) { return (isLast(left) ? 1 : 0) - (isLast(right) ? 1 : 0) }
      return left < right ? -1 : left == right ? 0 : 1
    }
    switch (left, right) {
    case (.bool(let left), .bool(let right)): return order(left ? 1 : 0, right ? 1 : 0)
    case (.int(let left), .int(let right)): return order(left, right)
    case (.uint(let left), .uint(let right)): return order(left, right)
    case (.double(let left), .double(let right)): return order(left, right, isLast: \.isNaN)
    case (.date(let left), .date(let right)):
      let seconds = (left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
      return order(seconds.0, seconds.1, isLast: \.isNaN)
    case (.decimal(let left), .decimal(let right)):
      return order(DecimalParts(left), DecimalParts(right), isLast: \.isNotANumber)
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)): return order(left, right)
    case (.reference(let left), .reference(let right)): return order(left, right)
    default: return compare(left.encodedBytes, right.encodedBytes)
    }
  }

  /// Positions in an ordered list: there is always one between two others.
  static func checkPositions(_ first: [UInt8], _ second: [UInt8]) throws {
    guard let left = OrderKey(String(decoding: first, as: UTF8.self)),
      let right = OrderKey(String(decoding: second, as: UTF8.self)), left < right
    else { return }
    let middle = OrderKey.between(left, right)
    try promise(left < middle && middle < right, "no position between \(left) and \(right)")
    try promise(OrderKey(middle.text) == middle, "the text of \(middle) is no position")
    try promise(OrderKey.between(nil, left) < left && right < OrderKey.between(right, nil), "no position at an end")
  }
}
