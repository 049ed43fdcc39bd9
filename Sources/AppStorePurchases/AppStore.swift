/// The App Store as an app sees it.
public enum AppStore {
  /// Where a transaction was made. Values that this build does not know are kept as they are written.
  public struct Environment: RawRepresentable, Hashable, Sendable {
    /// The name as it stands in a signed transaction.
    public let rawValue: String

    /// Creates an environment from a name. Any name is accepted, known or not.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The App Store that takes real money.
    public static let production = Environment(rawValue: "Production")
    /// Apple's test store.
    public static let sandbox = Environment(rawValue: "Sandbox")
    /// A local store: Xcode's test session, or the one of `AppStoreTesting`.
    public static let xcode = Environment(rawValue: "Xcode")
  }
}
