public import Foundation

extension AppStore {
  /// Brings the transactions up to date after the person asked for it ("Restore Purchases"); StoreKit's usual delivery
  /// needs no call. New transactions arrive through ``Transaction/updates``.
  ///
  /// - Throws: ``StoreKitError``; ``StoreKitError/userCancelled`` when the person did not sign in.
  public static func sync() async throws {
    try await client.sync()
  }

  /// Whether the person may pay. False without a client.
  public static var canMakePayments: Bool {
    (try? client)?.canMakePayments ?? false
  }

  /// The id that ``Transaction/deviceVerification`` is made with on this device; nil where the store gives none.
  public static var deviceVerificationID: UUID? {
    (try? client)?.deviceVerificationID
  }
}
