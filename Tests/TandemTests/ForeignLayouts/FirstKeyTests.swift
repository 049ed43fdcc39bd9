import ForeignLayouts
import Foundation
import Testing

@testable import Tandem

/// The first case of coding keys, by their bits and by the list of the cases.
struct FirstKeyTests {
  private enum Shape: Codable, Equatable {
    case point(x: Double)
    case circle(radius: Double)
    case nothing
  }
  private enum Single: Codable, Equatable { case only(Int) }
  private enum Letters: String, CodingKey, CaseIterable { case a, b, c }
  private enum Words: String, CodingKey { case none = "some text" }
  private struct AnyName: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  @Test func `the bits of the first case are those that the list of the cases begins with`() {
    #expect(FirstKey.bits(Letters.self) == .a && FirstKey.listed(Letters.self) == .a)
    #expect(FirstKey.bits(FirstKey.Several.self) == FirstKey.listed(FirstKey.Several.self))
    #expect(FirstKey.bits(FirstKey.Sole.self) == FirstKey.listed(FirstKey.Sole.self))
    #expect(FirstKey.bits(Words.self) == Words.none && FirstKey.listed(Words.self) == nil)
    #expect(FirstKey.bits(AnyName.self) == nil && FirstKey.listed(AnyName.self) == nil)
  }

  @Test func `the self-test fails for another case and for none`() {
    #expect(
      FirstKey.agrees {
        .first
      } sole: {
        .only
      })
    #expect(
      !FirstKey.agrees {
        .second
      } sole: {
        .only
      })
    #expect(
      !FirstKey.agrees {
        nil
      } sole: {
        .only
      })
    #expect(
      !FirstKey.agrees {
        .first
      } sole: {
        nil
      })
  }

  @Test(.enabled(if: ForeignLayout.codingKeys.isOn))
  func `an enumeration with associated values is made from nothing as its first case`() {
    #expect(BlankDecoder.value(of: Shape.self) == .point(x: 0))
    #expect(BlankDecoder.value(of: Single.self) == .only(0))
  }

  @Test func `without the bits such an enumeration is not made, and others are as before`() async {
    await #expect(processExitsWith: .success) {
      ForeignLayout.codingKeys.settle(false)
      #expect(BlankDecoder.value(of: Shape.self) == nil)
      #expect(BlankDecoder.value(of: Single.self) == nil)
      #expect(FirstKey.of(Letters.self) == .a && FirstKey.of(Words.self) == nil)
      #expect(BlankDecoder.value(of: Season.self) == .spring)
      #expect(BlankDecoder.value(of: [Shape].self) == [])
      #expect(BlankDecoder.value(of: Shape?.self) == .some(nil))
    }
  }
}
