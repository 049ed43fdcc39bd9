public import Foundation
public import Tandem

/// One credit spent, as a record of its own: two devices that spend one credit apart leave two of these, and
/// ``CreditLedger`` settles them alike everywhere.
@Model
public final class CreditConsumption {
  #Index<CreditConsumption>([\.profileID, \.consumedAt], [\.consumedAt])
  /// The request that was paid; the report has the same.
  @Attribute(.unique) public private(set) var requestID: UUID
  /// The credit that it was taken from, by ``CreditKey``.
  public private(set) var transactionKey: String
  /// The credit's place among those of its transaction.
  public private(set) var ordinal: Int
  /// When it was spent, by the clock of the installation.
  public private(set) var consumedAt: Date
  /// The profile that the chart had then; nil for a chart of no profile.
  public private(set) var profileID: UUID?
  /// What the report is about.
  public private(set) var area: ReportArea
  /// The installation that spent it.
  public private(set) var installationID: UUID

  /// Creates a consumption; it is stored along with its report, in one commit.
  public init(
    requestID: UUID, credit: CreditKey, consumedAt: Date, profileID: UUID?, area: ReportArea, installationID: UUID
  ) {
    self.requestID = requestID
    transactionKey = credit.transaction
    ordinal = credit.ordinal
    self.consumedAt = consumedAt
    self.profileID = profileID
    self.area = area
    self.installationID = installationID
  }

  /// As ``CreditLedger`` takes it.
  public var value: CreditLedger.Consumption {
    CreditLedger.Consumption(
      requestID: requestID, credit: CreditKey(transaction: transactionKey, ordinal: ordinal), consumedAt: consumedAt,
      installationID: installationID)
  }

  /// The profile of the chart that it was spent for; nil for a chart of no profile, and once the profile was deleted.
  /// Throws what reading the store throws.
  public var userProfile: UserProfile? {
    get throws {
      guard let profileID, let modelContext else { return nil }
      return try modelContext.first(#Predicate<UserProfile> { $0.id == profileID })
    }
  }
}
