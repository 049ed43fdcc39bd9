/// Why a transaction was put aside. An open set: other versions' values are kept.
public struct QuarantineReason: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: String

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

  public var description: String { rawValue }

  /// The reason for people; of an unknown one its raw value.
  public func name(in language: AppLanguage) -> String {
    let names: (english: String, ukrainian: String)? =
      switch self {
      case .unverified: ("the signature is not right", "підпис неправильний")
      case .unknownProduct: ("an unknown product", "невідомий продукт")
      case .wrongType: ("another type of product", "інший тип продукту")
      case .familyShared: ("shared in a family", "сімейний доступ")
      case .wrongQuantity: ("a quantity outside of 1 to 10", "кількість не від 1 до 10")
      case .otherApp: ("another app's", "іншого застосунку")
      default: nil
      }
    guard let names else { return rawValue }
    return language == .english ? names.english : names.ukrainian
  }
}
