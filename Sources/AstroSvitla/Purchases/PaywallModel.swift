import AppStorePurchases
import Foundation
public import Observation
import Tandem

/// What a paywall shows and what its button does, for a view to observe. On the main actor, as views are.
///
/// ```swift
/// let paywall = PaywallModel(store, purchases: purchases)
/// await paywall.load()
/// await paywall.buy()
/// let credits = paywall.availableCredits
/// ```
@MainActor @Observable
public final class PaywallModel {
  /// What the App Store sells here, the cheapest first; empty before ``load()``.
  public private(set) var offers: [CreditOffer] = []
  /// The plan, as far as it is sold here; nil before ``load()``.
  public private(set) var planOffer: PlanOffer?
  /// How the plan stands.
  public private(set) var plan = PlanStanding()
  /// Credits that reports can be bought with.
  public private(set) var availableCredits = 0
  /// Whether a purchase is under way: the button is to be off.
  public private(set) var isPurchasing = false
  /// What the last call of ``load()`` or ``buy(_:)`` met, or that a purchase waits for approval; nil where all went
  /// well or the person cancelled.
  public private(set) var error: PurchaseMessage?

  private let store: AstroSvitlaStore
  private let purchases: PurchaseService
  private let credits: CreditManager

  /// A model without offers yet.
  public init(_ store: AstroSvitlaStore, purchases: PurchaseService) {
    self.store = store
    self.purchases = purchases
    credits = CreditManager(store)
  }

  /// The single credit, as far as it is sold here.
  public var product: CreditOffer? { offers.first { $0.product == .single } }

  /// Asks the App Store what it sells, and counts the credits.
  public func load() async {
    await noting {
      try await count()
      offers = CreditOffer.all(among: try await purchases.products())
      planOffer = try await purchases.plans().compactMap { PlanOffer($0) }.first
    }
  }

  private func count() async throws {
    availableCredits = try await credits.balance().available
    plan = try await purchases.planStanding()
  }

  /// Buys; does nothing while another purchase is under way.
  public func buy(_ product: CreditProduct = .single) async {
    await purchasing { try await self.purchases.buy(product) }
  }

  /// Subscribes to the plan; does nothing while another purchase is under way.
  public func subscribe(to plan: PlanProduct = .monthly) async {
    await purchasing { try await self.purchases.subscribe(to: plan) }
  }

  private func purchasing(_ purchase: () async throws -> PurchaseOutcome) async {
    guard !isPurchasing else { return }
    isPurchasing = true
    defer { isPurchasing = false }
    await noting {
      if case .pending = try await purchase() { error = PurchaseMessage(.waitingForApproval) }
      try await count()
    }
  }

  /// Counts the credits again whenever the store changes, by this process, another one or a synchronisation, until the
  /// task is cancelled. Throws what reading the store throws.
  public func follow() async throws {
    let changes = store.container.changes
    try await count()
    for try await _ in changes { try await count() }
  }

  private func noting(_ work: () async throws -> Void) async {
    error = nil
    do {
      try await work()
    } catch StoreKitError.userCancelled {
      error = nil
    } catch {
      // An error that is none of a purchase, such as a full disk, is the system's for the person.
      self.error = PurchaseMessage(for: error) ?? PurchaseMessage(.system)
    }
  }
}
