/// How a transaction reached the app. An open set: other versions' values are kept.
public struct DeliveryPath: RawRepresentable, Codable, Hashable, Sendable, CustomStringConvertible {
  /// The name that is stored.
  public let rawValue: String

  /// Creates a way from its name, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// As the result of buying.
  public static let purchase = DeliveryPath(rawValue: "purchase")
  /// Through the App Store's updates: approved, bought elsewhere, delivered late.
  public static let updates = DeliveryPath(rawValue: "updates")
  /// Found unfinished at launch.
  public static let recovery = DeliveryPath(rawValue: "recovery")
  /// Delivered by a build that did not write it down.
  public static let unknown = DeliveryPath(rawValue: "unknown")

  /// Of several devices that delivered one transaction apart, the one that bought it tells the way.
  static let strongestFirst = [purchase, updates, recovery]

  /// The raw value.
  public var description: String { rawValue }
}
