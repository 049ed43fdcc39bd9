/// An angle between two planets that means something, with the deviation within which it counts.
public enum AspectKind: String, CaseIterable, Codable, Hashable, Sendable {
  /// At one place.
  case conjunction = "Conjunction"
  /// Half a circle apart.
  case opposition = "Opposition"
  /// A third of the circle apart.
  case trine = "Trine"
  /// A quarter of the circle apart.
  case square = "Square"
  /// A sixth of the circle apart.
  case sextile = "Sextile"

  /// Reads a raw value; earlier builds wrote it in small letters.
  public init(from decoder: any Decoder) throws { self = try EarlierSpelling.value(from: decoder) }

  /// The exact angle in degrees.
  public var angle: Double {
    switch self {
    case .conjunction: 0
    case .opposition: 180
    case .trine: 120
    case .square: 90
    case .sextile: 60
    }
  }

  /// How far from the exact angle it still counts, in degrees.
  public var orb: Double {
    switch self {
    case .conjunction, .opposition: 8
    case .trine, .square: 7
    case .sextile: 6
    }
  }

  /// The aspect of a separation; nil between aspects. The orbs leave gaps, so there is never a choice.
  public init?(separation: Double) {
    guard let kind = Self.allCases.first(where: { abs(separation - $0.angle) <= $0.orb }) else { return nil }
    self = kind
  }
}
