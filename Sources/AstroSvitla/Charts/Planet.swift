/// The ten bodies of a natal chart, in the order in which charts list them.
public enum Planet: String, CaseIterable, Codable, Hashable, Identifiable, Sendable {
  /// The Sun.
  case sun = "Sun"
  /// The Moon.
  case moon = "Moon"
  /// Mercury.
  case mercury = "Mercury"
  /// Venus.
  case venus = "Venus"
  /// Mars.
  case mars = "Mars"
  /// Jupiter.
  case jupiter = "Jupiter"
  /// Saturn.
  case saturn = "Saturn"
  /// Uranus.
  case uranus = "Uranus"
  /// Neptune.
  case neptune = "Neptune"
  /// Pluto.
  case pluto = "Pluto"

  /// Reads a raw value; earlier builds wrote it in small letters.
  public init(from decoder: any Decoder) throws { self = try EarlierSpelling.value(from: decoder) }

  /// The same as the raw value.
  public var id: String { rawValue }

  /// The sun and the moon never seem to move backwards.
  public var canBeRetrograde: Bool { self != .sun && self != .moon }
}
