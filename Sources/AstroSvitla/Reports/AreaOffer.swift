/// Where an area stands for one chart: what a shop shows beside it.
public struct AreaOffer: Hashable, Codable, Sendable {
  /// What can be had of an area.
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    /// A report about it was bought.
    case owned
    /// A free credit buys it.
    case available
    /// There is no free credit.
    case locked
  }

  /// The area.
  public let area: ReportArea
  /// What can be had of it.
  public let state: State

  /// Whether a report about it was bought.
  public var isPurchased: Bool { state == .owned }

  /// Creates an offer from its parts.
  public init(area: ReportArea, state: State) {
    self.area = area
    self.state = state
  }
}
