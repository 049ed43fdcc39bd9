import AppStorePurchases
import Foundation

/// What people are told when something about a purchase goes wrong, in their language. Cancelling is silent.
public struct PurchaseMessage: Hashable, Sendable {
  /// The rows of the error table.
  public enum Kind: String, CaseIterable, Hashable, Sendable {
    case network, system, notAvailableInRegion, verificationFailed, notEnoughCredits, waitingForApproval
    case purchasesTurnedOff, invalidQuantity, generationFailed, alreadyPurchased
  }

  public let kind: Kind

  public init(_ kind: Kind) { self.kind = kind }

  /// The row of an error; nil for cancelling, and for errors that are not about purchases.
  public init?(for error: any Error) {
    guard let kind = Self.kind(of: error) else { return nil }
    self.kind = kind
  }

  private static func kind(of error: any Error) -> Kind? {
    switch error {
    case let error as AstroSvitlaError: appKind(error.code)
    case let error as StoreKitError: storeKind(error)
    case let error as Product.PurchaseError: purchaseKind(error)
    case is VerificationResult<Transaction>.VerificationError, is VerificationFailure: .verificationFailed
    case is URLError: .network
    default: nil
    }
  }

  private static func appKind(_ code: AstroSvitlaError.Code) -> Kind? {
    switch code {
    case .notEnoughCredits: .notEnoughCredits
    case .verificationFailed: .verificationFailed
    case .productUnavailable: .notAvailableInRegion
    case .purchasesTurnedOff: .purchasesTurnedOff
    case .generationFailed: .generationFailed
    case .alreadyPurchased: .alreadyPurchased
    default: nil
    }
  }

  private static func storeKind(_ error: StoreKitError) -> Kind? {
    switch error {
    case .userCancelled: nil
    case .networkError: .network
    case .notAvailableInStorefront: .notAvailableInRegion
    case .unknown, .systemError, .notEntitled, .unsupported: .system
    }
  }

  private static func purchaseKind(_ error: Product.PurchaseError) -> Kind {
    switch error {
    case .invalidQuantity: .invalidQuantity
    case .productUnavailable: .notAvailableInRegion
    case .purchaseNotAllowed: .purchasesTurnedOff
    default: .system
    }
  }

  public func text(in language: AppLanguage) -> String {
    switch language {
    case .english: english
    case .ukrainian: ukrainian
    }
  }

  private var english: String {
    switch kind {
    case .network: "Network error. Check your connection."
    case .system: "Purchase failed. Please try again. If you have paid, your credits come by themselves."
    case .notAvailableInRegion: "This product is not available in your region."
    case .verificationFailed: "Purchase verification failed. It is kept aside; please contact support."
    case .notEnoughCredits: "Not enough credits. Buy one to get this report."
    case .waitingForApproval: "The purchase waits for approval. Your credits come as soon as it is given."
    case .purchasesTurnedOff: "Purchases are turned off on this device. You can allow them in Settings."
    case .invalidQuantity: "You can buy 1 to 10 at a time."
    case .generationFailed: "The report could not be made. Your credit was given back; try again later."
    case .alreadyPurchased: "You already have this report. Open it, or ask for another one."
    }
  }

  private var ukrainian: String {
    switch kind {
    case .network: "Помилка мережі. Перевірте з'єднання."
    case .system: "Покупка не вдалася. Спробуйте ще раз. Якщо ви заплатили, кредити надійдуть самі."
    case .notAvailableInRegion: "Цей продукт недоступний у вашому регіоні."
    case .verificationFailed: "Перевірка покупки не вдалася. Її відкладено; зверніться до служби підтримки."
    case .notEnoughCredits: "Недостатньо кредитів. Придбайте кредит, щоб отримати звіт."
    case .waitingForApproval: "Покупка чекає на схвалення. Кредити з’являться, щойно його нададуть."
    case .purchasesTurnedOff: "Покупки на цьому пристрої вимкнено. Їх можна дозволити в Параметрах."
    case .invalidQuantity: "За один раз можна придбати від 1 до 10."
    case .generationFailed: "Звіт не вдалося створити. Кредит повернуто; спробуйте пізніше."
    case .alreadyPurchased: "Цей звіт у вас уже є. Відкрийте його або замовте ще один."
    }
  }
}
