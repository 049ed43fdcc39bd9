public import Foundation
import RecordStore

/// An App Store for tests, in a directory: accounts, products, purchases, and everything that can go wrong with them.
///
/// ```swift
/// var options = LocalAppStore.Options(seed: 7)
/// options.durability = .unsafeNoFlush  // for tests, which need no flush
/// let appStore = try await LocalAppStore.open(at: folder, bundleID: "com.example.stars", options: options)
/// try await appStore.setProducts(storeKitFile: Data(contentsOf: products))
/// try await appStore.addAccount("anna")
/// let phone = try await appStore.launch(account: "anna", device: "phone")
/// let result = try await AppStore.withClient(phone) {
///   try await Product.products(for: ["com.example.stars.credit"])[0].purchase()
/// }
/// ```
///
/// The directory is the App Store: it lasts, and any number of processes open it at once. A purchase, an approval or a
/// refund in one arrives in `Transaction.updates` of the others. The effect of a call is on the device before it is
/// told.
///
/// The members of this type are what a tester, a parent or the App Store itself does; the app sees only the client that
/// ``launch(account:device:language:)`` makes. All are safe from any task. They throw ``AppStoreTestingError``, and
/// change nothing then.
public final class LocalAppStore: Sendable {
  /// How an App Store is opened. None of it is kept, but the seed of the first opening.
  public struct Options: Sendable {
    /// The bound of what power loss may take.
    public enum Durability: Sendable, Hashable {
      /// A purchase that was told survives power loss.
      case full
      /// Power loss may destroy the App Store; the end of a process never does. For tests, which need no flush.
      case unsafeNoFlush
    }

    /// The bound of what power loss may take; `full` by default.
    public var durability: Durability
    /// The seed of certificates' keys, device ids and delays when the App Store is created; nil: from the
    /// system. Equal seeds give equal numbers, delays and keys; signatures differ all the same.
    public var seed: UInt64?
    /// The wall clock under the App Store's own.
    public var wallClock: @Sendable () -> Date
    /// How long a change waits for other processes' changes.
    public var timeoutSeconds: Double

    /// Options with the defaults of an App Store that lasts.
    public init(
      durability: Durability = .full, seed: UInt64? = nil, wallClock: @escaping @Sendable () -> Date = { Date() },
      timeoutSeconds: Double = 30
    ) {
      self.durability = durability
      self.seed = seed
      self.wallClock = wallClock
      self.timeoutSeconds = timeoutSeconds
    }
  }

  /// The directory. It holds `ledger.store`, which only its owner may read as it holds the signing keys.
  public let directory: URL
  /// The app whose purchases these are.
  public let bundleID: String
  let ledger: Ledger
  let assortments = AssortmentCache()

  private init(directory: URL, bundleID: String, ledger: Ledger) {
    self.directory = directory
    self.bundleID = bundleID
    self.ledger = ledger
  }

  /// Opens the App Store in a directory, creating it if there is none. Its certificates are made then, and there are no
  /// accounts and no products.
  ///
  /// - Throws: ``AppStoreTestingError``: `otherApp` when the directory is the App Store of another bundle id, `ledger`
  ///   when the store in it cannot be opened.
  public static func open(
    at directory: URL, bundleID: String, options: Options = Options()
  ) async throws -> LocalAppStore {
    var configuration = StoreConfiguration(url: directory.appendingPathComponent("ledger.store"))
    configuration.durability = options.durability == .full ? .full : .unsafeNoFlush
    configuration.timeoutSeconds = options.timeoutSeconds
    let finished = configuration
    return try await withCheckedThrowingContinuation { continuation in
      // Creating waits for other processes that create.
      DispatchQueue.global().async {
        continuation.resume(
          with: Result {
            let ledger = try Ledger(finished, wallClock: options.wallClock)
            let seed = options.seed ?? UInt64.random(in: .min ... .max)
            let settings = try ledger.begin(bundleID: bundleID, seed: seed)
            guard settings.bundleID == bundleID else { throw Self.otherApp(settings.bundleID) }
            return LocalAppStore(directory: directory, bundleID: bundleID, ledger: ledger)
          })
      }
    }
  }

  private static func otherApp(_ bundleID: String) -> AppStoreTestingError {
    AppStoreTestingError(
      .otherApp,
      "the directory is the App Store of \(bundleID): open it with that bundle id, or choose another directory")
  }
}
