public import Foundation

/// What went wrong in the app, other than in the App Store or the store file: a value that is not allowed, something
/// that is not there, credits that do not suffice.
public struct AstroSvitlaError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kind of trouble. Grows without breaking a `switch`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case invalidValue, notFound, ambiguous, notEnoughCredits, areaNotSold, requestInUse, reservationLost
      case alreadyPurchased
      case verificationFailed, productUnavailable, purchasesTurnedOff, noStore, unknownDevice, unreadableFile
      case outputFailed, generationFailed, housesUndefined, positionsDiffer
    }
    private let kind: Kind

    /// A value is outside its limits; nothing was stored.
    public static let invalidValue = Code(kind: .invalidValue)
    /// No chart, report, profile or purchase answers to that name or id.
    public static let notFound = Code(kind: .notFound)
    /// Several answer to that name or id.
    public static let ambiguous = Code(kind: .ambiguous)
    /// No credit is free; nothing was reserved.
    public static let notEnoughCredits = Code(kind: .notEnoughCredits)
    /// The area is one of old reports and can not be bought.
    public static let areaNotSold = Code(kind: .areaNotSold)
    /// The request id belongs to a report of another chart or area; nothing was charged.
    public static let requestInUse = Code(kind: .requestInUse)
    /// The lease of a reservation ended and the credit is another request's; reserve again. Nothing was charged.
    public static let reservationLost = Code(kind: .reservationLost)
    /// A report about the area of the chart was bought before, and nobody asked for another; nothing was charged.
    public static let alreadyPurchased = Code(kind: .alreadyPurchased)
    /// A transaction's signature or content is not right; it was put aside and not finished.
    public static let verificationFailed = Code(kind: .verificationFailed)
    /// The App Store has no such product in this region.
    public static let productUnavailable = Code(kind: .productUnavailable)
    /// The person may not pay on this device.
    public static let purchasesTurnedOff = Code(kind: .purchasesTurnedOff)
    /// The device has no store yet, and the caller only reads.
    public static let noStore = Code(kind: .noStore)
    /// There is no device directory at the path.
    public static let unknownDevice = Code(kind: .unknownDevice)
    /// A file could not be read.
    public static let unreadableFile = Code(kind: .unreadableFile)
    /// What a command answered could not be written.
    public static let outputFailed = Code(kind: .outputFailed)
    /// The report could not be written; its credit was given back.
    public static let generationFailed = Code(kind: .generationFailed)

    /// The system of houses has no answer at the place of birth; nothing was stored.
    public static let housesUndefined = Code(kind: .housesUndefined)
    /// Positions that were given are not the sky of the birth; nothing was stored.
    public static let positionsDiffer = Code(kind: .positionsDiffer)

    public var description: String { kind.rawValue }
  }

  public var code: Code
  /// One sentence in English that names the thing and the remedy, without a person's data.
  public var message: String
  /// The same in Ukrainian.
  public var ukrainianMessage: String
  /// What the layer below said.
  public var cause: String?

  public init(_ code: Code, _ message: String, ukrainian: String, cause: String? = nil) {
    self.code = code
    self.message = message
    ukrainianMessage = ukrainian
    self.cause = cause
  }

  static let alreadyPurchased = AstroSvitlaError(
    .alreadyPurchased,
    "a report about this area of the chart was bought before: see astrosvitla report list, or ask for another with "
      + "--again",
    ukrainian:
      "звіт на цю тему для цієї карти вже придбано: перегляньте astrosvitla report list або замовте ще один з --again")

  /// The sentence for people in their language, with what the layer below said in its own.
  public func text(in language: AppLanguage) -> String {
    let sentence = language == .ukrainian ? ukrainianMessage : message
    return cause.map { "\(sentence) (\($0))" } ?? sentence
  }

  public var description: String { text(in: .english) }
  public var errorDescription: String? { description }
}
