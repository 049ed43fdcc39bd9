import Foundation
import LMDB
import RecordStore
import TestSupport
import Testing

@Suite struct DecimalPartsTests {
  @Test func `a decimal is taken apart as it is written`() throws {
    for (text, mantissa, exponent) in [
      ("0", 0, 0), ("1", 1, 0), ("1000", 1, 3), ("9.99", 999, -2), ("70000.50", 700005, -1), ("0.001", 1, -3),
      ("1234567890123456789", 1_234_567_890_123_456_789, 0),
    ] {
      let parts = DecimalParts(try #require(Decimal(string: text)))
      #expect(parts.mantissa == UInt128(mantissa), "\(text)")
      #expect(parts.exponent == exponent, "\(text)")
      #expect(!parts.isNegative && !parts.isNotANumber)
      #expect(DecimalParts(try #require(Decimal(string: "-" + text))).isNegative == (mantissa != 0))
    }
    #expect(DecimalParts(.nan).isNotANumber)
    #expect(DecimalParts(.greatestFiniteMagnitude).mantissa == .max)
  }

  @Test func `a decimal put together is the one taken apart, and works in arithmetic`() {
    var generator = SeededGenerator.announced()
    let values = RandomValues.decimals + (0..<5_000).map { _ in RandomValues.decimal(using: &generator) }
    for value in values {
      let again = DecimalParts(value).decimal
      #expect(again == value || (again.isNaN && value.isNaN))
      #expect(again.description == value.description)
      if !value.isNaN { #expect(again - value == 0) }
    }
  }

  @Test func `equal decimals have equal bytes, however they were made`() {
    let made = [Decimal(string: "1.50")!, Decimal(3) / 2, Decimal(sign: .plus, exponent: -3, significand: 1500)]
    #expect(Set(made.map { FieldValue.decimal($0).encodedBytes }) == [[0xFF, 0, 15]])
  }
}
