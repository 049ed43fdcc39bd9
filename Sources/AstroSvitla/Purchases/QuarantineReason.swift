import LocalizedTexts

/// Why a transaction was put aside. An open set: other versions' values are kept.
public struct QuarantineReason: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
  /// The name that is stored.
  public let rawValue: String

  /// Creates a reason from its name, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The signature is not right.
  public static let unverified = QuarantineReason(rawValue: "unverified")
  /// The app sells no such product.
  public static let unknownProduct = QuarantineReason(rawValue: "unknownProduct")
  /// The product is not a consumable in the transaction.
  public static let wrongType = QuarantineReason(rawValue: "wrongType")
  /// Credits are for the one who paid; consumables can not be shared in a family.
  public static let familyShared = QuarantineReason(rawValue: "familyShared")
  /// Outside of 1 to 10.
  public static let wrongQuantity = QuarantineReason(rawValue: "wrongQuantity")
  /// The transaction is another app's.
  public static let otherApp = QuarantineReason(rawValue: "otherApp")

  /// The raw value.
  public var description: String { rawValue }

  /// The reason for people; of an unknown one its raw value.
  public func name(in language: AppLanguage) -> String { key.map { language.text($0) } ?? rawValue }

  private var key: MessageKey? { MessageKey(rawValue: "quarantine.\(rawValue)") }

  /// The reason within another sentence.
  var sentence: Sentence { key.map { Sentence($0) } ?? Sentence(.verbatim, .text(rawValue)) }
}
