import Foundation
import RecordStore
@_spi(_Unicode) import Swift
import TestSupport

/// Values that tests compare, store and look for: edges first, then random ones.
enum RandomValues {
  static let doubles: [Double] = [
    -.infinity, -.greatestFiniteMagnitude, -1.5, -1, -.leastNormalMagnitude, -.leastNonzeroMagnitude, -0.0, 0,
    .leastNonzeroMagnitude, .leastNormalMagnitude, 1, 1.5, .greatestFiniteMagnitude, .infinity, .nan, -.nan,
    Double(nan: 77, signaling: false),
  ]

  static let strings: [String] = [
    "", "\0", "\0\0", "\u{1}", "\u{1}\u{1}", "\0a", "a", "a\0", "a\0b", "a\u{1}", "ab", "b", "B", "é", "e\u{301}", "e",
    "f", "Київ", "київ", "їжак", "i\u{308}", "\u{456}\u{308}жак", "ї", "\u{1100}\u{1161}", "가", "Å", "\u{212B}", "😀",
    "\u{10041}\u{301}", "A\u{301}", "\u{FFFF}", "\u{10000}", "\u{344}", "q\u{307}\u{323}", "q\u{323}\u{307}",
    "ab\u{300}",
    "\u{FB01}", "fi", "\u{F71}\u{F72}", "e\u{301}f", "éf", "日本", "日本語",
  ]

  static let decimals: [Decimal] = [
    0, 1, -1, 10, 100, 9.99, -9.99, 0.1, 0.01, 0.09, 99, 100.5, 12, 120, 1200, 1.2, 1.25, -1.25, .nan,
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
    Decimal(sign: .plus, exponent: 127, significand: 10), Decimal(sign: .minus, exponent: -128, significand: 7),
    Decimal(string: "340282366920938463463374607431768211455")!,
    Decimal(string: "34028236692093846346337460743176821145.5")!, Decimal(string: "0.00000000000000000001")!,
  ]

  static func edges(of type: FieldType) -> [FieldValue] {
    switch type {
    case .bool: [.bool(false), .bool(true)]
    case .int: [Int64.min, .min + 1, -256, -1, 0, 1, 255, 256, .max - 1, .max].map { .int($0) }
    case .uint: [UInt64.min, 1, 255, 256, 1 << 63 - 1, 1 << 63, .max].map { .uint($0) }
    case .double: doubles.map { .double($0) }
    case .date: doubles.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .decimal: decimals.map { .decimal($0) }
    case .string: strings.map { .string($0) }
    case .url: strings.map { .url($0) }
    case .uuid: [0, 1, 0x7F, 0x80, 0xFF].map { .uuid(uuid(filledWith: $0)) }
    case .data: byteStrings.map { .data(Data($0)) }
    case .composite: byteStrings.map { .composite(Data($0)) }
    case .reference:
      [(0, 0), (0, 1), (1, 0), (UInt64.max, 0), (.max, .max)].map { .reference(RecordID(high: $0.0, low: $0.1)) }
    }
  }

  static let byteStrings: [[UInt8]] = [
    [], [0], [0, 0], [0, 1], [1], [1, 0], [1, 1], [1, 2], [2], [2, 0], [2, 0xFF], [0xFF], [0xFF, 0], [0xFF, 0xFF],
  ]

  private static func uuid(filledWith byte: UInt8) -> UUID {
    UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte))
  }

  /// An edge half of the time, else something random.
  static func value(of type: FieldType, using generator: inout SeededGenerator) -> FieldValue {
    guard !generator.oneIn(2) else { return generator.pick(edges(of: type)) }
    switch type {
    case .bool: return .bool(Bool.random(using: &generator))
    case .int: return .int(Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator)))
    case .uint: return .uint(generator.next() >> UInt64.random(in: 0...63, using: &generator))
    case .double: return .double(Double(bitPattern: generator.next()))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: generator.next())))
    case .decimal: return .decimal(decimal(using: &generator))
    case .string: return .string(string(using: &generator))
    case .url: return .url("https://example.org/" + string(using: &generator))
    case .uuid: return .uuid(UUID(uuid: unsafeBitCast((generator.next(), generator.next()), to: uuid_t.self)))
    case .data: return .data(Data(bytes(using: &generator)))
    case .composite: return .composite(Data(bytes(using: &generator)))
    case .reference: return .reference(RecordID(high: generator.next(), low: generator.next()))
    }
  }

  static func decimal(using generator: inout SeededGenerator) -> Decimal {
    let significand = Decimal(generator.next() >> UInt64.random(in: 0...63, using: &generator))
    let exponent = Int.random(in: generator.oneIn(4) ? -100...100 : -4...2, using: &generator)
    return Decimal(sign: Bool.random(using: &generator) ? .plus : .minus, exponent: exponent, significand: significand)
  }

  /// A few of the pieces that normalisation, escaping and case folding care about.
  static func string(using generator: inout SeededGenerator) -> String {
    let pieces = [
      "a", "b", "A", "z", "\0", "\u{1}", "é", "e\u{301}", "\u{301}", "\u{323}", "ї", "і\u{308}", "к", "😀", "日", "9",
      "10",
      " ", "\u{1161}", "\u{1100}", "\u{10041}", "ß",
    ]
    return (0..<Int.random(in: 0...8, using: &generator)).map { _ in generator.pick(pieces) }.joined()
  }

  static func bytes(using generator: inout SeededGenerator) -> [UInt8] {
    (0..<Int.random(in: 0...12, using: &generator)).map { _ in
      generator.oneIn(3) ? generator.pick([0, 1, 2, 0xFF]) : UInt8.random(in: 0...255, using: &generator)
    }
  }
}

extension FieldValue {
  /// Swift's order of two values of one type, as -1, 0 or 1; nil first, not-a-number last.
  func swiftOrder(_ other: FieldValue) -> Int {
    switch (self, other) {
    case (.null, .null): 0
    case (.null, _): -1
    case (_, .null): 1
    case (.bool(let left), .bool(let right)): order(left ? 1 : 0, right ? 1 : 0)
    case (.int(let left), .int(let right)): order(left, right)
    case (.uint(let left), .uint(let right)): order(left, right)
    case (.double(let left), .double(let right)): order(left, right)
    case (.date(let left), .date(let right)):
      order(left.timeIntervalSinceReferenceDate, right.timeIntervalSinceReferenceDate)
    case (.decimal(let left), .decimal(let right)):
      left.isNaN || right.isNaN ? order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) : order(left, right)
    case (.string(let left), .string(let right)), (.url(let left), .url(let right)):
      left.canonicalOrder(right)
    case (.uuid(let left), .uuid(let right)): order(left.uuidString, right.uuidString)
    case (.data(let left), .data(let right)), (.composite(let left), .composite(let right)):
      left.lexicographicallyPrecedes(right) ? -1 : left == right ? 0 : 1
    case (.reference(let left), .reference(let right)): order(left, right)
    default: preconditionFailure("only values of one type have an order")
    }
  }

  private func order(_ left: Double, _ right: Double) -> Int {
    guard !left.isNaN, !right.isNaN else { return order(left.isNaN ? 1 : 0, right.isNaN ? 1 : 0) }
    return left < right ? -1 : left == right ? 0 : 1
  }

  private func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }
}

extension String {
  /// The order that Swift documents, by the scalars of the NFC form. Swift's own `<` errs where a decomposed
  /// text is a prefix: "e\u{301}" < "éf" is false, though "é" < "éf" is true and "é" == "e\u{301}" (6.3.1).
  func canonicalOrder(_ other: String) -> Int {
    guard self != other else { return 0 }
    return _nfc.lexicographicallyPrecedes(other._nfc) ? -1 : 1
  }
}
