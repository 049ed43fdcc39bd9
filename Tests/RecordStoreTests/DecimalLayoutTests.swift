import ForeignLayouts
import Foundation
import TestSupport
import Testing

@testable import RecordStore

/// Decimals by their bits, beside those that Foundation writes and reads as text.
@Suite struct DecimalLayoutTests {
  private static func samples(_ random: inout SeededGenerator) -> [DecimalMembers] {
    let edges: [UInt128] = [0, 1, 10, 0xFFFF, 0x1_0000, UInt128(UInt64.max), 1 << 64, 1 << 112, .max - 1, .max]
    let exponents: [Int8] = [-128, -127, -2, -1, 0, 1, 2, 126, 127]
    let pairs = edges.flatMap { mantissa in exponents.map { (mantissa, $0) } }
    let chosen = (0..<2_000).map { _ in
      (
        UInt128.random(in: 0 ... .max, using: &random) >> Int.random(in: 0..<128, using: &random),
        Int8.random(in: -128...127, using: &random)
      )
    }
    return (pairs + chosen).flatMap { mantissa, exponent in
      [false, true].map { DecimalMembers(exponent: exponent, isNegative: $0 && mantissa != 0, mantissa: mantissa) }
    }
  }

  @Test func `the bits of a number and its text say the same, and make the same`() {
    var random = SeededGenerator.announced()
    for members in Self.samples(&random) {
      let made = DecimalLayout(members).decimal
      #expect(made == members.spelled, "\(members)")
      #expect(DecimalLayout(made).members == members)
      #expect(DecimalMembers(spelled: made).value == members.value, "\(members)")
      #expect(DecimalLayout(members.spelled).members.value == members.value, "\(members)")
      // The form that records have.
      let parts = members.value
      let canonical = DecimalMembers(exponent: parts.exponent, isNegative: parts.isNegative, mantissa: parts.mantissa)
      let (fast, slow) = (DecimalLayout(canonical).decimal, canonical.spelled)
      #expect(fast.description == slow.description && fast.hashValue == slow.hashValue, "\(canonical)")
    }
  }

  @Test func `the self-test passes, and fails for any other reading`() {
    let made = { (members: DecimalMembers) in DecimalLayout(members).decimal }
    let read = { (number: Decimal) in DecimalLayout(number).members }
    #expect(DecimalLayout.agrees(read, making: made))
    #expect(!DecimalLayout.agrees(read) { _ in 1 })
    for change: @Sendable (inout DecimalMembers) -> Void in [
      { $0.exponent += 1 }, { $0.isNegative.toggle() }, { $0.mantissa &= 0xFFFF_FFFF }, { $0.mantissa >>= 1 },
    ] {
      func distorted(_ number: Decimal) -> DecimalMembers {
        var members = read(number)
        change(&members)
        return members
      }
      #expect(!DecimalLayout.agrees(distorted, making: made))
    }
  }

  @Test func `without the bits decimals have the same parts and the same bytes`() async {
    await #expect(processExitsWith: .success) {
      unsetenv("TANDEM_FOREIGN_LAYOUTS")
      #expect(ForeignLayout.decimals.isOn)
      var random = SeededGenerator.announced()
      let samples = Self.samples(&random)
      let numbers =
        samples.map { DecimalLayout($0).decimal } + [.nan, .greatestFiniteMagnitude, .leastNonzeroMagnitude]
      // Before anything asks: from now on they are read as text.
      ForeignLayout.decimals.settle(false)
      #expect(!DecimalLayout.isKnown)
      for (number, members) in zip(numbers, samples) {
        let parts = DecimalParts(number)
        #expect(parts.decimal == number)
        #expect((parts.mantissa, parts.exponent) == Self.canonical(members), "\(members)")
        #expect(parts.isNegative == members.isNegative)
      }
      #expect(DecimalParts(.nan).decimal.isNaN)
      #expect(DecimalParts(.greatestFiniteMagnitude).mantissa == .max)
    }
  }

  private static func canonical(_ members: DecimalMembers) -> (UInt128, Int8) {
    guard members.mantissa != 0 else { return (0, 0) }
    var (mantissa, exponent) = (members.mantissa, members.exponent)
    while exponent < .max, mantissa.isMultiple(of: 10) { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    return (mantissa, exponent)
  }
}

extension DecimalMembers {
  /// Equal for equal numbers, whatever their form.
  fileprivate var value: DecimalParts {
    var parts = DecimalParts(0)
    var (mantissa, exponent) = (mantissa, exponent)
    guard mantissa != 0 else { return parts }
    while exponent < .max, mantissa.isMultiple(of: 10) { (mantissa, exponent) = (mantissa / 10, exponent + 1) }
    (parts.mantissa, parts.exponent, parts.isNegative) = (mantissa, exponent, isNegative)
    return parts
  }
}
