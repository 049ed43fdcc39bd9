public import Foundation

/// The JSON of a chart: what ``BirthChart/chartData`` holds and what `chart add --positions` reads.
///
/// ```json
/// {"planets": [{"planet": "sun", "longitude": 84.13, "speed": 0.955, …}, …],
///  "houses": [{"house": 1, "cusp": 201.4, …}, …], "houseSystem": "placidus", "midheaven": 110.2,
///  "aspects": […], "formatVersion": 1}
/// ```
/// Read are `planet`, `longitude` and `speed` of ten planets and `cusp` of twelve houses, and, where they are there,
/// the `latitude` of planets, `houseSystem` and `midheaven`; earlier builds ignore these three. The rest (sign, degree
/// in the sign, house, retrograde, ascendant, aspects) is written for other readers and worked out anew by this one.
extension NatalChart: Codable {
  /// Larger data is refused before it is read.
  public static let maximumDataBytes = 64 << 10

  private struct PlanetEntry: Codable {
    var planet: Planet
    var longitude: EclipticLongitude
    var latitude: Double?
    var speed: Double
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

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let planets = try container.decode([PlanetEntry].self, forKey: .planets)
    let houses = try container.decode([HouseEntry].self, forKey: .houses)
    guard houses.map(\.house).sorted() == Array(1...12) else {
      throw AstroSvitlaError(
        .invalidValue, "a chart has the houses 1 to 12, each once",
        ukrainian: "карта має доми від 1 до 12, кожен один раз")
    }
    try self.init(
      positions: planets.map {
        try PlanetPosition($0.planet, at: $0.longitude, latitude: $0.latitude, speed: $0.speed)
      },
      houses: HouseRing(cusps: houses.sorted { $0.house < $1.house }.map(\.cusp)),
      houseSystem: container.decodeIfPresent(HouseSystem.self, forKey: .houseSystem),
      midheaven: container.decodeIfPresent(EclipticLongitude.self, forKey: .midheaven))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(1, forKey: .formatVersion)
    try container.encode(positions.map(entry), forKey: .planets)
    try container.encode(houses.cusps.enumerated().map(Self.entry), forKey: .houses)
    try container.encodeIfPresent(houseSystem, forKey: .houseSystem)
    try container.encode(ascendant, forKey: .ascendant)
    try container.encode(midheaven, forKey: .midheaven)
    try container.encode(aspects, forKey: .aspects)
  }

  private func entry(of position: PlanetPosition) -> PlanetEntry {
    let longitude = position.longitude
    return PlanetEntry(
      planet: position.planet, longitude: longitude, latitude: position.latitude, speed: position.speed,
      sign: longitude.sign, degreesInSign: longitude.degreesInSign, element: longitude.sign.element,
      modality: longitude.sign.modality, house: houses.house(of: longitude), isRetrograde: position.isRetrograde)
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
      throw AstroSvitlaError(
        .invalidValue, "the chart has more than \(Self.maximumDataBytes >> 10) KiB of data",
        ukrainian: "карта має понад \(Self.maximumDataBytes >> 10) КіБ даних")
    }
    do {
      self = try JSONDecoder().decode(NatalChart.self, from: data)
    } catch let error as DecodingError {
      throw AstroSvitlaError(
        .invalidValue, "the chart's data is not the JSON of ten planets and twelve houses",
        ukrainian: "дані карти — не JSON із десятьма планетами й дванадцятьма домами", cause: error.place)
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
