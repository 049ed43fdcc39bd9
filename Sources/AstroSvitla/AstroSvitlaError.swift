public import Foundation
package import LocalizedTexts

/// What went wrong in the app, other than in the App Store or the store file: a value that is not allowed, something
/// that is not there, credits that do not suffice.
public struct AstroSvitlaError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
  /// The kind of trouble. Grows without breaking a `switch`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Kind: String {
      case invalidValue, notFound, ambiguous, notEnoughCredits, areaNotSold, requestInUse, reservationLost
      case alreadyPurchased
      case verificationFailed, productUnavailable, purchasesTurnedOff, noStore, unknownDevice, unreadableFile
      case outputFailed, generationFailed, housesUndefined, positionsDiffer, incorrectProductType
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

    /// The App Store sells a product as another type than the app does; it is not offered.
    public static let incorrectProductType = Code(kind: .incorrectProductType)

    /// The kind's name, such as `notFound`.
    public var description: String { kind.rawValue }
  }

  /// What the error says: a sentence of the app, or one that its maker gave in both languages.
  private enum Wording: Hashable, Sendable {
    case sentence(Sentence)
    case given(english: String, ukrainian: String)
  }

  /// The kind of trouble.
  public var code: Code
  private let wording: Wording
  /// What the layer below said.
  public var cause: String?

  /// Creates an error of one sentence in each language, which names the thing and the remedy without a person's data.
  public init(_ code: Code, _ message: String, ukrainian: String, cause: String? = nil) {
    self.code = code
    wording = .given(english: message, ukrainian: ukrainian)
    self.cause = cause
  }

  package init(_ code: Code, _ key: MessageKey, _ arguments: Sentence.Argument..., cause: String? = nil) {
    self.code = code
    wording = .sentence(Sentence(key, arguments: arguments))
    self.cause = cause
  }

  static let alreadyPurchased = AstroSvitlaError(.alreadyPurchased, .areaBoughtBefore)

  /// One sentence in English that names the thing and the remedy, without a person's data.
  public var message: String { sentence(in: .english) }
  /// The same in Ukrainian.
  public var ukrainianMessage: String { sentence(in: .ukrainian) }

  /// The sentence for people in their language, with what the layer below said in its own.
  public func text(in language: AppLanguage) -> String {
    let sentence = sentence(in: language)
    return cause.map { "\(sentence) (\($0))" } ?? sentence
  }

  private func sentence(in language: AppLanguage) -> String {
    switch wording {
    case .sentence(let sentence): sentence.text(in: AppLocale(language))
    case .given(let english, let ukrainian): language == .ukrainian ? ukrainian : english
    }
  }

  /// The text in English, for logs.
  public var description: String { text(in: .english) }
  /// The text in the language of ``AppLanguage/current``.
  public var errorDescription: String? { text(in: .current) }
}
