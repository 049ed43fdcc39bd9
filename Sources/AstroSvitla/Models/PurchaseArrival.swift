public import Foundation
public import Tandem

/// How a transaction reached one installation, written before it is delivered there, or with it in one commit. Each
/// installation writes its own record only, so a merge has nothing to decide: what several of them say is put together
/// in ``PurchaseDetails``.
@Model
public final class PurchaseArrival {
  #Unique<PurchaseArrival>([\.transactionKey, \.installationID])
  /// The text of the purchase's ``TransactionKey``.
  public private(set) var transactionKey: String
  /// The installation that received it.
  public private(set) var installationID: UUID
  /// How it came.
  public private(set) var path: DeliveryPath
  /// When it came.
  public private(set) var arrivedAt: Date

  init(_ key: TransactionKey, installationID: UUID, path: DeliveryPath, at date: Date) {
    transactionKey = key.text
    self.installationID = installationID
    self.path = path
    arrivedAt = date
  }

  /// What the attempt that delivers it says; an attempt before it delivered nothing.
  func note(_ path: DeliveryPath, at date: Date) {
    self.path = path
    arrivedAt = date
  }

  /// When a purchase was recovered, by all its arrivals; nil where an installation received it as it was bought.
  static func restoredAt(_ arrivals: [PurchaseArrival]) -> Date? {
    Set(arrivals.map(\.path)) == [.recovery] ? arrivals.map(\.arrivedAt).min() : nil
  }
}
