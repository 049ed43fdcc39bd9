/// The subscriptions of the app: while one runs, reports cost no credit.
public enum PlanProduct: String, CaseIterable, Sendable {
  /// Renewed each month.
  case monthly = "com.astrosvitla.subscription.monthly"

  /// The App Store's group of them; a person has one of a group at a time.
  public static let groupID = "21740001"

  /// The App Store's identifiers of all of them.
  public static var ids: Set<String> { Set(allCases.map(\.rawValue)) }

  /// How people name it on a command line: `monthly`, or the whole id.
  public init?(named text: String) {
    guard let plan = Self.allCases.first(where: { $0.rawValue == text || $0.shortName == text }) else { return nil }
    self = plan
  }

  /// The name on a command line.
  public var shortName: String {
    switch self {
    case .monthly: "monthly"
    }
  }
}
