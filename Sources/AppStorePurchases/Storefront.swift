public import Foundation

/// The App Store's region of an account: it decides which products are sold, in which currency, for how much.
///
/// ```swift
/// let storefronts: Storefront.Storefronts = Storefront.updates
/// for await storefront in storefronts {
///   reload(storefront.countryCode)  // prices are those of the new country now
///   break
/// }
/// ```
public struct Storefront: Hashable, Identifiable, Sendable {
  /// ISO 3166-1 alpha-3, such as `UKR`.
  public let countryCode: String
  /// The store's own number of the region, such as `143492`.
  public let id: String
  /// The currency of prices; nil where the store does not say.
  public let currency: Locale.Currency?

  /// For clients; an app receives storefronts.
  public init(countryCode: String, id: String, currency: Locale.Currency? = nil) {
    self.countryCode = countryCode
    self.id = id
    self.currency = currency
  }

  /// The account's storefront; nil when the store does not know it, cannot be reached or is not connected.
  public static var current: Storefront? {
    get async { try? await AppStore.client.currentStorefront() }
  }

  /// The storefront each time it changes. Products loaded before show prices of the old one: load them again.
  public static var updates: Storefronts { Storefronts(client: try? AppStore.client) }

  /// An endless sequence of storefronts; empty when no client is connected.
  public struct Storefronts: AsyncSequence, Sendable {
    /// A storefront.
    public typealias Element = Storefront
    /// The sequence does not throw.
    public typealias Failure = Never

    let client: (any StoreClient)?

    /// Starts to listen: changes from this moment on are delivered.
    public func makeAsyncIterator() -> AsyncIterator {
      AsyncIterator(base: client?.storefrontUpdates().makeAsyncIterator())
    }

    /// The iterator of ``Storefronts``.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var base: AsyncStream<Storefront>.AsyncIterator?

      /// Waits for the next change; nil when no client is connected, or its sequence has ended.
      public mutating func next() async -> Storefront? { await base?.next() }
    }
  }
}
