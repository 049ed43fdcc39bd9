public import AppStorePurchases
public import Foundation
import RecordStore

/// The App Store as one launch of an app on one device sees it: what `AppStore.connect(to:)` takes.
///
/// ```swift
/// let laptop: LocalStoreClient = try await appStore.launch(account: "anna", device: "laptop")
/// let verifier = TransactionVerifier(try await laptop.verifierConfiguration())
/// let owned = await AppStore.withClient(laptop) {
///   await Transaction.latest(for: "com.example.stars.credit")?.unsafePayloadValue
/// }
/// ```
///
/// ``LocalAppStore/launch(account:device:language:)`` makes one. Each stands for a launch of the app: its first
/// listener to `Transaction.updates` receives the unfinished transactions once, and purchases of other launches,
/// devices and processes arrive there, its own do not unless the tester wants them to. Safe to use from any task;
/// nothing of it blocks Swift's shared threads but ``canMakePayments``, which reads one record.
public final class LocalStoreClient: StoreClient {
  let session: Session
  let launchReplay = LaunchReplay()

  init(_ session: Session) { self.session = session }

  /// The account that this device was signed in with at the launch.
  public var account: String { session.account }
  /// The name of the device.
  public var device: String { session.device.name }

  /// The id that binds tokens to this device.
  public var deviceVerificationID: UUID? { session.device.verificationID }

  /// False also when the ledger cannot be read.
  public var canMakePayments: Bool {
    let account = session.account
    return (try? session.ledger.readBlocking { try $0.account(account).canMakePayments }) ?? false
  }

  /// The configuration with which an app on this device verifies tokens: the local root, the bundle id, the environment
  /// `.xcode`, the revoked certificates and the device's id, as they are now.
  ///
  /// - Throws: ``AppStoreTestingError`` `ledger` or `damagedLedger`.
  public func verifierConfiguration() async throws -> VerifierConfiguration {
    try await session.tokenState().verifierConfiguration()
  }

  /// The account's changes from this moment on; the first listener of a launch receives the unfinished
  /// transactions before it.
  public func transactionUpdates() -> TransactionStream {
    TransactionListener(session, launchReplay).stream()
  }

  /// The account's storefront each time a tester moves it to another country.
  public func storefrontUpdates() -> AsyncStream<Storefront> {
    EventListener(session, .storefront).stream { session, _ in try await session.storefront() }
  }

  /// The account's own status of a subscription each time it changes.
  public func subscriptionStatusUpdates() -> AsyncStream<Product.SubscriptionInfo.Status> {
    EventListener(session, .subscription).stream { session, event in
      guard let groupID = event.subscriptionGroupID else { return nil }
      return try await session.ownStatus(ofGroup: groupID)
    }
  }
}

// Simple questions.
extension LocalStoreClient {
  /// The products that are sold in the account's storefront, in the order of the `.storekit` file and the launch's
  /// language.
  /// - Throws: `StoreKitError`, and the fault that a tester asked for.
  public func products(for identifiers: Set<String>) async throws -> [Product] {
    let session = session
    return try await session.answering {
      try await session.failIfTold(.products)
      return try await session.ledger.readNow { snapshot, settings, _ in
        let countryCode = try snapshot.account(session.account).storefront
        return try session.assortments.assortment(snapshot, settings).catalog
          .products(for: identifiers, countryCode: countryCode, locale: session.locale)
      }
    }
  }

  /// The account's storefront. Its id is 0 while no products are set.
  /// - Throws: `StoreKitError`, and the fault that a tester asked for.
  public func currentStorefront() async throws -> Storefront? {
    let session = session
    return try await session.answering {
      try await session.failIfTold(.storefront)
      return try await session.storefront()
    }
  }

  /// Charges the subscriptions that have fallen due. Nobody is asked to sign in.
  /// - Throws: `StoreKitError`, and the fault that a tester asked for.
  public func sync() async throws {
    let session = session
    try await session.answering {
      try await session.failIfTold(.sync)
      try await session.settle()
    }
  }
}

extension Session {
  func storefront() async throws -> Storefront {
    let (account, assortments) = (account, assortments)
    return try await ledger.readNow { snapshot, settings, _ in
      let countryCode = try snapshot.account(account).storefront
      guard settings.productRevision > 0 else { return Storefront(countryCode: countryCode, id: "0") }
      return try assortments.assortment(snapshot, settings).storefront(countryCode)
    }
  }
}
