/// How a circle is divided into twelve houses.
public enum HouseSystem: String, CaseIterable, Codable, Hashable, Sendable {
  /// By thirds of the time between rising, culminating and setting. It has no answer beyond the polar circles, where
  /// parts of the ecliptic neither rise nor set.
  case placidus
  /// Thirty degrees each, from the ascendant on. It has an answer everywhere.
  case equal
}
