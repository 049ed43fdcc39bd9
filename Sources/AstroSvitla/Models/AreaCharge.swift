public import Foundation
public import Tandem

/// The note that an installation has paid for an area of a chart, stored in the commit of the consumption. The store
/// refuses a second one, so an installation pays for an area of a chart once, whatever runs at a time.
///
/// The note is a record beside the ``CreditConsumption``, because equal notes become one record when devices meet. A
/// copied device folder is the same installation, and what both copies spent has to stay two consumptions.
@Model
public final class AreaCharge {
  #Unique<AreaCharge>([\.chargeKey, \.installationID])
  /// Chart and area.
  public private(set) var chargeKey: String
  /// The installation that paid.
  public private(set) var installationID: UUID

  /// Creates the note of a payment.
  public init(_ chargeKey: String, installationID: UUID) {
    self.chargeKey = chargeKey
    self.installationID = installationID
  }
}
