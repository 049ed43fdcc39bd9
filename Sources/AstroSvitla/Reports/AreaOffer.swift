/// Where an area stands for one chart: what a shop shows beside it.
public struct AreaOffer: Hashable, Codable, Sendable {
  public enum State: String, Hashable, Codable, Sendable, CaseIterable {
    /// A report about it was bought.
    case owned
    /// A free credit buys it.
    case available
    /// There is no free credit.
    case locked
  }

  public let area: ReportArea
  public let state: State

  public init(area: ReportArea, state: State) {
    self.area = area
    self.state = state
  }
}
