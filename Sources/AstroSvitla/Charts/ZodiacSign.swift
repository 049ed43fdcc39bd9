/// A twelfth of the ecliptic: 30° each, Aries from 0°.
public enum ZodiacSign: String, CaseIterable, Codable, Hashable, Sendable {
  case aries, taurus, gemini, cancer, leo, virgo, libra, scorpio, sagittarius, capricorn, aquarius, pisces

  public enum Element: String, CaseIterable, Codable, Hashable, Sendable {
    case fire, earth, air, water
  }

  public enum Modality: String, CaseIterable, Codable, Hashable, Sendable {
    case cardinal, fixed, mutable
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
