import ForeignLayouts
import Foundation

/// The twenty bytes of `Decimal`: exponent in 8 bits, then in 8 bits length in mantissa words, sign and
/// "compact", 16 reserved bits, 128 bits of mantissa.
///
/// A bet on Foundation (``ForeignLayout/decimals``), read in `NSDecimal.h` of Apple's SDK and in `Decimal.swift` of
/// swift-foundation. Apple's is part of the system's interface; the other one ends whenever Foundation orders its bits
/// anew.
struct DecimalLayout {
  #if canImport(Darwin)
    // C's bit fields, from the lowest bit: length 4, sign 1, compact 1.
    private static let lengthShift: UInt32 = 8
    private static let negative: UInt32 = 1 << 12
    private static let compact: UInt32 = 1 << 13
  #else
    // Foundation in Swift: length in the upper half of the byte, sign and compact below.
    private static let lengthShift: UInt32 = 12
    private static let negative: UInt32 = 1 << 11
    private static let compact: UInt32 = 1 << 10
  #endif

  private let head: UInt32
  private let words: (UInt32, UInt32, UInt32, UInt32)

  init(_ decimal: Decimal) { self = unsafeBitCast(decimal, to: DecimalLayout.self) }

  var decimal: Decimal { unsafeBitCast(self, to: Decimal.self) }

  init(_ members: DecimalMembers) {
    let mantissa = members.mantissa
    let length = UInt32(128 - mantissa.leadingZeroBitCount + 15) / 16
    head =
      UInt32(UInt8(bitPattern: members.exponent)) | length << Self.lengthShift
      | (members.isNegative ? Self.negative : 0) | Self.compact
    words = (
      UInt32(truncatingIfNeeded: mantissa), UInt32(truncatingIfNeeded: mantissa >> 32),
      UInt32(truncatingIfNeeded: mantissa >> 64), UInt32(truncatingIfNeeded: mantissa >> 96)
    )
  }

  var members: DecimalMembers {
    DecimalMembers(
      exponent: Int8(truncatingIfNeeded: head), isNegative: head & Self.negative != 0, mantissa: mantissa)
  }

  private var mantissa: UInt128 {
    let low = UInt64(words.1) << 32 | UInt64(words.0)
    let high = UInt64(words.3) << 32 | UInt64(words.2)
    let mantissa = UInt128(high) << 64 | UInt128(low)
    let length = head >> Self.lengthShift & 0xF
    // Words at and above the length are not defined to be zero.
    return length < 8 ? mantissa & ((1 << UInt128(16 * length)) - 1) : mantissa
  }
}

extension DecimalLayout {
  static let isKnown: Bool = {
    guard MemoryLayout<DecimalLayout>.size == MemoryLayout<Decimal>.size else {
      ForeignLayout.decimals.settle(false)
      return false
    }
    if ForeignLayout.decimals.isOn {
      ForeignLayout.decimals.settle(
        agrees {
          DecimalLayout($0).members
        } making: {
          DecimalLayout($0).decimal
        })
    }
    return ForeignLayout.decimals.isOn
  }()

  /// Numbers of all lengths, with all members other than zero.
  private static let samples = [
    DecimalMembers(exponent: -2, isNegative: true, mantissa: 1_999),
    DecimalMembers(exponent: 5, isNegative: false, mantissa: 0x1234_5678_9ABC_DEF0_0FED_CBA9_8765_4321),
  ]

  /// Whether the members of some numbers are those that Foundation spells, and numbers made of members are those.
  static func agrees(
    _ read: (Decimal) -> DecimalMembers, making made: (DecimalMembers) -> Decimal
  ) -> Bool {
    samples.allSatisfy { sample in
      let number = sample.spelled
      return read(number) == sample && read(number) == DecimalMembers(spelled: number) && made(sample) == number
    }
  }
}
