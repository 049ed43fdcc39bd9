public import Foundation

/// The JSON of a chart: what ``BirthChart/chartData`` holds and what `chart add --positions` reads.
///
/// ```json
/// {"planets": [{"planet": "Sun", "longitude": 84.13, "speed": 0.955, …}, …],
///  "houses": [{"house": 1, "cusp": 201.4, …}, …], "houseSystem": "placidus", "midheaven": 110.2,
///  "aspects": […], "formatVersion": 1}
/// ```
/// Read are `planet`, `longitude` and `speed` of ten planets and `cusp` of twelve houses, and, where they are there,
/// the `latitude` of planets, `houseSystem` and `midheaven`; earlier builds ignore these three. The rest (sign, degree
/// in the sign, house, retrograde, ascendant, aspects) is written for other readers and worked out anew by this one.
///
/// Format 2 is a day whose hour nobody knows: without houses, ascendant and midheaven, and with a `daySpan` for each
/// planet. A newer format is refused.
extension NatalChart: Codable {
  /// Larger data is refused before it is read.
  public static let maximumDataBytes = 64 << 10

  private static let formatWithoutHouses = 2

  private struct PlanetEntry: Codable {
    var planet: Planet
    var longitude: EclipticLongitude
    var latitude: Double?
    var speed: Double
    var daySpan: DaySpan?
    var sign: ZodiacSign?
    var degreesInSign: Double?
    var element: ZodiacSign.Element?
    var modality: ZodiacSign.Modality?
    var house: Int?
    var isRetrograde: Bool?
  }

  private struct HouseEntry: Codable {
    var house: Int
    var cusp: EclipticLongitude
    var sign: ZodiacSign?
    var degreesInSign: Double?
  }

  private enum Key: String, CodingKey {
    case formatVersion, planets, houses, houseSystem, ascendant, midheaven, aspects
  }

  /// Reads either format.
  ///
  /// - Throws: `invalidValue` for what is no chart and for a format that this build does not know, and `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let format = try container.decodeIfPresent(Int.self, forKey: .formatVersion) ?? 1
    guard format <= Self.formatWithoutHouses else { throw AstroSvitlaError(.invalidValue, .newerChart, "\(format)") }
    let positions = try container.decode([PlanetEntry].self, forKey: .planets).map {
      try PlanetPosition(
        $0.planet, at: $0.longitude, latitude: $0.latitude, speed: $0.speed,
        daySpan: format == Self.formatWithoutHouses ? $0.daySpan : nil)
    }
    guard format < Self.formatWithoutHouses else {
      try self.init(ofDay: positions)
      return
    }
    let houses = try container.decode([HouseEntry].self, forKey: .houses)
    guard houses.map(\.house).sorted() == Array(1...12) else { throw AstroSvitlaError(.invalidValue, .twelveHouses) }
    try self.init(
      positions: positions, houses: HouseRing(cusps: houses.sorted { $0.house < $1.house }.map(\.cusp)),
      houseSystem: container.decodeIfPresent(HouseSystem.self, forKey: .houseSystem),
      midheaven: container.decodeIfPresent(EclipticLongitude.self, forKey: .midheaven))
  }

  /// Writes format 1, or format 2 for a day whose hour nobody knows.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(houses == nil ? Self.formatWithoutHouses : 1, forKey: .formatVersion)
    try container.encode(positions.map(entry), forKey: .planets)
    try container.encodeIfPresent(houses?.cusps.enumerated().map(Self.entry), forKey: .houses)
    try container.encodeIfPresent(houseSystem, forKey: .houseSystem)
    try container.encodeIfPresent(ascendant, forKey: .ascendant)
    try container.encodeIfPresent(midheaven, forKey: .midheaven)
    try container.encode(aspects, forKey: .aspects)
  }

  private func entry(of position: PlanetPosition) -> PlanetEntry {
    let longitude = position.longitude
    // Of two signs none is said.
    let sign = position.signs.count == 1 ? longitude.sign : nil
    return PlanetEntry(
      planet: position.planet, longitude: longitude, latitude: position.latitude, speed: position.speed,
      daySpan: position.daySpan, sign: sign, degreesInSign: sign.map { _ in longitude.degreesInSign },
      element: sign?.element, modality: sign?.modality, house: houses?.house(of: longitude),
      isRetrograde: position.isRetrograde)
  }

  private static func entry(index: Int, cusp: EclipticLongitude) -> HouseEntry {
    HouseEntry(house: index + 1, cusp: cusp, sign: cusp.sign, degreesInSign: cusp.degreesInSign)
  }

  /// The chart as JSON with sorted keys: equal charts are equal bytes. 5 to 10 KB.
  public var data: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self)
    }
  }

  /// Reads ``data`` back, or a file of positions.
  ///
  /// Throws `invalidValue` when it is too large, is no JSON of this form, or describes no chart.
  public init(data: Data) throws {
    guard data.count <= Self.maximumDataBytes else {
      throw AstroSvitlaError(.invalidValue, .chartTooLarge, "\(Self.maximumDataBytes >> 10)")
    }
    do {
      self = try JSONDecoder().decode(NatalChart.self, from: data)
    } catch let error as DecodingError {
      throw AstroSvitlaError(.invalidValue, .notAChart, cause: error.place)
    }
  }
}

extension DecodingError {
  /// Where in the JSON the trouble is, without the value.
  fileprivate var place: String {
    let context: Context? =
      switch self {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: nil
      }
    let path = (context?.codingPath ?? []).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return path.isEmpty ? "at the top" : "at " + path.joined(separator: ".")
  }
}
