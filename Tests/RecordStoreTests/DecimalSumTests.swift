import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Sums of decimals, which are exact or none.
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

  @Test func `a sum of more digits than are exact is none, and stays none`() throws {
    #expect(try sum([decimal("1e30"), decimal("1e-30")]) == nil)
    #expect(try sum([decimal("1e30"), decimal("1e-30"), decimal("-1e30")]) == nil)
    #expect(try sum([decimal("1e19"), decimal("1e-18")]) == decimal("10000000000000000000.000000000000000001"))
  }

  @Test func `a sum of more than 38 digits is none, and the greatest exponent is no bound`() throws {
    let large = try decimal(String(repeating: "9", count: 38))
    #expect(sum([large]) == large && sum([large, large, -large]) == nil)
    #expect(try sum(Array(repeating: decimal("9e127"), count: 20)) == decimal("180e127"))
  }

  @Test func `what is not a number makes the sum none, also among others`() {
    #expect(sum([1, .nan, 2])?.isNaN == true)
  }
}
