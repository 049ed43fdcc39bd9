import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Sums of decimals, which are exact or none, whatever they were on the way.
struct DecimalSumTests {
  private func sum(_ values: [Decimal]) -> Decimal? {
    var sum = DecimalSum()
    for value in values { sum.add(DecimalParts(value)) }
    return sum.decimal
  }

  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  @Test(arguments: 0..<8) func `amounts of money add up exactly, in any order`(run: Int) {
    var generator = SeededGenerator.announced("DecimalSum \(run)")
    let cents = (0..<200).map { _ in Int64.random(in: -1_000_000...1_000_000, using: &generator) }
    // Some with trailing zeros, so that they come at other exponents.
    let values = cents.map { Decimal($0 % 3 == 0 ? $0 * 100 : $0) / ($0 % 3 == 0 ? 10_000 : 100) }
    let expected = Decimal(cents.reduce(0, +)) / 100
    #expect(sum(values) == expected)
    #expect(sum(values.shuffled(using: &generator)) == expected)
  }

  @Test func `nothing sums to zero, and so does what cancels out, at any place`() throws {
    #expect(sum([]) == 0)
    #expect(try sum([decimal("1e-20"), decimal("-1e-20"), decimal("1e60")]) == decimal("1e60"))
    #expect(try sum([decimal("1e60"), decimal("-1e60"), decimal("1e-20")]) == decimal("1e-20"))
  }

  @Test func `a sum of more digits than are exact is none, unless it loses them again`() throws {
    #expect(try sum([decimal("1e30"), decimal("1e-30")]) == nil)
    #expect(try sum([decimal("1e30"), decimal("1e-30"), decimal("-1e30")]) == decimal("1e-30"))
    #expect(try sum([decimal("-1e30"), decimal("-1e-30"), decimal("1e30")]) == decimal("-1e-30"))
    #expect(try sum([decimal("1e100"), decimal("-10e99"), decimal("1e-90"), decimal("-1e-90")]) == 0)
    let third = Decimal(1) / 3
    let thirds = Array(repeating: third, count: 99)
    #expect(sum(thirds) == nil && sum(thirds + thirds.map { -$0 } + [third]) == third)
    #expect(try sum([decimal("1e19"), decimal("1e-18")]) == decimal("10000000000000000000.000000000000000001"))
  }

  @Test func `a sum of more than 38 digits is none, and the greatest exponent is no bound`() throws {
    let large = try decimal(String(repeating: "9", count: 38))
    #expect(sum([large]) == large && sum([large, large, -large]) == large)
    #expect(sum([large, large, large, large]) == nil)
    let greatest = Decimal.greatestFiniteMagnitude
    #expect(sum([greatest]) == greatest && sum([greatest, greatest]) == nil)
    #expect(sum([-greatest, greatest, 1, -greatest]) == nil && sum([-greatest, greatest, 1]) == 1)
    #expect(try sum(Array(repeating: decimal("9e127"), count: 20)) == decimal("180e127"))
  }

  @Test(arguments: 0..<8) func `sums of parts are those of all numbers in turn, in any order and at any places`(
    run: Int
  ) {
    var generator = SeededGenerator.announced("DecimalSum parts \(run)")
    for _ in 0..<200 {
      var values = (0..<Int.random(in: 1...30, using: &generator)).map { _ in
        let number = UInt64.random(in: 0...UInt64.max, using: &generator) >> Int.random(in: 0...63, using: &generator)
        let places = generator.oneIn(3) ? Int.random(in: -128...100, using: &generator) : 0
        return Decimal(
          sign: Bool.random(using: &generator) ? .minus : .plus, exponent: places, significand: Decimal(number))
      }
      let rest = values.shuffled(using: &generator).prefix(Int.random(in: 0...3, using: &generator))
      values = (values + values.map { -$0 } + rest).shuffled(using: &generator)
      let expected = sum(Array(rest))
      #expect(sum(values) == expected)
      var whole = DecimalSum()
      for start in stride(from: 0, to: values.count, by: 7) {
        var part = DecimalSum()
        for value in values[start..<min(start + 7, values.count)] { part.add(DecimalParts(value)) }
        whole.add(part)
      }
      #expect(whole.decimal == expected)
    }
  }

  @Test func `what is not a number makes the sum none, also among others`() {
    #expect(sum([1, .nan, 2])?.isNaN == true)
  }
}
