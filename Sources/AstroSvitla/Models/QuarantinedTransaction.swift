public import Foundation
public import Tandem

/// A transaction that was put aside: nothing was delivered for it, and the App Store was not told that it is finished,
/// so it comes again and a later version of the app may deliver it.
@Model
public final class QuarantinedTransaction {
  /// The transaction's key; of one whose signature is not right that which it claims, marked as such.
  @Attribute(.unique) public private(set) var key: String
  /// The reason of the last time that it came.
  public private(set) var reason: QuarantineReason
  /// As it says; nil where the signature is not right.
  public private(set) var productID: String?
  /// What verification said, without the token's contents.
  public private(set) var detail: String?
  /// As it came, for audit.
  public private(set) var signedText: String
  /// When it came first.
  public private(set) var firstSeenAt: Date

  init(_ entry: QuarantineEntry, at date: Date) {
    key = entry.key
    reason = entry.reason
    productID = entry.productID
    detail = entry.detail
    signedText = entry.signedText
    firstSeenAt = date
  }

  /// The reason of today; the first one may be another app version's.
  func note(_ entry: QuarantineEntry) {
    if reason != entry.reason { reason = entry.reason }
    if detail != entry.detail { detail = entry.detail }
  }
}
