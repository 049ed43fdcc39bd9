/// The ten bodies of a natal chart, in the order in which charts list them.
public enum Planet: String, CaseIterable, Codable, Hashable, Sendable {
  case sun, moon, mercury, venus, mars, jupiter, saturn, uranus, neptune, pluto

  /// The sun and the moon never seem to move backwards.
  public var canBeRetrograde: Bool { self != .sun && self != .moon }
}
