public import Foundation

/// The principal cities of the world's time zones, from the system's own tables: places that a person may name.
///
/// `zone.tab` has a city for each zone and country; its name is the last part of the zone's, in Ukrainian and English
/// also what the system calls the zone. Anything smaller is given by degrees.
public struct PlaceTable: Sendable {
  /// The places, in the order of the table.
  public let places: [BirthPlace]
  /// The zones of `zone1970.tab`, whose history before 1970 every system has.
  private let zonesWithHistory: Set<String>

  /// Reads the tables of a folder; the system's unless given.
  ///
  /// Throws `unreadableFile` where there are none, as on a system without the package tzdata.
  public init(folder: URL = URL(filePath: "/usr/share/zoneinfo", directoryHint: .isDirectory)) throws {
    places = try Self.lines(of: folder.appending(path: "zone.tab")).compactMap(Self.place)
    zonesWithHistory = Set(try Self.lines(of: folder.appending(path: "zone1970.tab")).map { $0[2] })
  }

  /// The place of a name in any case, in English, Ukrainian, or as the zone calls it. Throws `notFound`.
  public func place(named text: String) throws -> BirthPlace {
    let wanted = Self.key(text)
    let found =
      places.first { place in [place.name, place.timeZoneName].contains { $0.map(Self.key) == wanted } }
      ?? places.first { place in AppLanguage.allCases.contains { Self.key(Self.name(of: place, in: $0)) == wanted } }
    guard let found else {
      throw AstroSvitlaError(.notFound, .noSuchPlace)
    }
    return found
  }

  /// A place for people: the city of its zone by its name in the language, another by the name that it was given, and
  /// one without a name by its degrees.
  public static func displayName(of place: BirthPlace, in language: AppLanguage) -> String {
    guard let name = place.name else { return String(format: "%.2f°, %.2f°", place.latitude, place.longitude) }
    return key(name) == key(city(of: place.timeZoneName)) ? Self.name(of: place, in: language) : name
  }

  /// What the city of a place's zone is called in a language.
  public static func name(of place: BirthPlace, in language: AppLanguage) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: language.rawValue)
    format.timeZone = TimeZone(identifier: place.timeZoneName)
    // The zone's city, as Unicode's collection of names has it.
    format.dateFormat = "VVV"
    return format.string(from: Date(timeIntervalSince1970: 0))
  }

  /// Whether what clocks of a zone showed before 1970 is kept apart from that of zones that agree with it since.
  public func hasOwnHistory(_ timeZoneName: String) -> Bool {
    timeZoneName == "UTC" || zonesWithHistory.contains(timeZoneName)
  }

  private static func key(_ text: String) -> String {
    text.trimmingCharacters(in: .whitespaces).replacingOccurrences(of: "_", with: " ").lowercased()
  }

  /// Columns: country, degrees as ±DDMM±DDDMM or with seconds, zone. Lines with `#` are comments.
  private static func lines(of file: URL) throws -> [[String]] {
    do {
      return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
        .map { $0.split(separator: "\t").map(String.init) }.filter { $0.count >= 3 }
    } catch {
      throw AstroSvitlaError(
        .unreadableFile, .noPlaceTable, "\(file.lastPathComponent)", cause: error.localizedDescription)
    }
  }

  /// Nil for a zone that Foundation does not know yet.
  private static func place(_ columns: [String]) -> BirthPlace? {
    guard let match = columns[1].wholeMatch(of: /([+-])(\d{2})(\d{2})(\d{2})?([+-])(\d{3})(\d{2})(\d{2})?/),
      let latitude = degrees(match.1, match.2, match.3, match.4),
      let longitude = degrees(match.5, match.6, match.7, match.8)
    else { return nil }
    // A zone of a newer table than Foundation's is no error of the person's: the place is just not there.
    return try? BirthPlace(
      latitude: latitude, longitude: longitude, timeZoneName: columns[2], name: city(of: columns[2]))
  }

  /// `Buenos Aires` of `America/Argentina/Buenos_Aires`.
  private static func city(of timeZoneName: String) -> String {
    timeZoneName.split(separator: "/").last.map { $0.replacingOccurrences(of: "_", with: " ") } ?? timeZoneName
  }

  private static func degrees(
    _ sign: Substring, _ degrees: Substring, _ minutes: Substring, _ seconds: Substring?
  ) -> Double? {
    guard let whole = Double(degrees), let sixtieths = Double(minutes), let rest = Double(seconds ?? "0") else {
      return nil
    }
    let value = ((whole + sixtieths / 60 + rest / 3600) * 10_000).rounded() / 10_000
    return sign == "-" ? -value : value
  }
}
