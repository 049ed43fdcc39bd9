/// A twelfth of the ecliptic: 30° each, Aries from 0°.
public enum ZodiacSign: String, CaseIterable, Codable, Hashable, Sendable {
  /// From 0°.
  case aries = "Aries"
  /// From 30°.
  case taurus = "Taurus"
  /// From 60°.
  case gemini = "Gemini"
  /// From 90°.
  case cancer = "Cancer"
  /// From 120°.
  case leo = "Leo"
  /// From 150°.
  case virgo = "Virgo"
  /// From 180°.
  case libra = "Libra"
  /// From 210°.
  case scorpio = "Scorpio"
  /// From 240°.
  case sagittarius = "Sagittarius"
  /// From 270°.
  case capricorn = "Capricorn"
  /// From 300°.
  case aquarius = "Aquarius"
  /// From 330°.
  case pisces = "Pisces"

  /// Reads a raw value; earlier builds wrote it in small letters.
  public init(from decoder: any Decoder) throws { self = try EarlierSpelling.value(from: decoder) }

  /// What a sign is made of.
  public enum Element: String, CaseIterable, Codable, Hashable, Sendable {
    /// Aries, Leo, Sagittarius.
    case fire = "Fire"
    /// Taurus, Virgo, Capricorn.
    case earth = "Earth"
    /// Gemini, Libra, Aquarius.
    case air = "Air"
    /// Cancer, Scorpio, Pisces.
    case water = "Water"

    /// Reads a raw value; earlier builds wrote it in small letters.
    public init(from decoder: any Decoder) throws { self = try EarlierSpelling.value(from: decoder) }
  }

  /// How a sign acts.
  public enum Modality: String, CaseIterable, Codable, Hashable, Sendable {
    /// The first sign of each season.
    case cardinal = "Cardinal"
    /// The middle sign of each season.
    case fixed = "Fixed"
    /// The last sign of each season.
    case mutable = "Mutable"

    /// Reads a raw value; earlier builds wrote it in small letters.
    public init(from decoder: any Decoder) throws { self = try EarlierSpelling.value(from: decoder) }
  }

  /// The sign in which a longitude lies. A border belongs to the sign that begins there.
  public init(at longitude: EclipticLongitude) {
    self = Self.allCases[min(11, Int(longitude.degrees / 30))]
  }

  /// 0 for Aries to 11 for Pisces.
  public var index: Int {
    switch self {
    case .aries: 0
    case .taurus: 1
    case .gemini: 2
    case .cancer: 3
    case .leo: 4
    case .virgo: 5
    case .libra: 6
    case .scorpio: 7
    case .sagittarius: 8
    case .capricorn: 9
    case .aquarius: 10
    case .pisces: 11
    }
  }

  /// The degrees of the ecliptic that the sign has.
  public var degrees: Range<Double> { Double(index * 30)..<Double(index * 30 + 30) }

  /// Fire, earth, air, water, in this order round the circle.
  public var element: Element { Element.allCases[index % 4] }

  /// Cardinal, fixed, mutable, in this order round the circle.
  public var modality: Modality { Modality.allCases[index % 3] }

  /// The sign half a circle away.
  public var opposite: ZodiacSign { Self.allCases[(index + 6) % 12] }
}
