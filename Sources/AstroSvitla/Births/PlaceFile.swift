public import Foundation
import RecordStore

/// Places of a file as GeoNames (geonames.org) publishes them, such as `cities500.txt`: towns and villages that the
/// system's tables do not have. A person brings the file; none comes with the app.
///
/// One place a line, in UTF-8, with 19 columns between tabs. Read are 2 the name, 3 the name in ASCII, 4 its names in
/// other languages between commas, 5 and 6 latitude and longitude, 9 the country, 11 the region's code, 18 the zone.
public struct PlaceFile: Sendable {
  private struct Line {
    let columns: [Substring]

    /// Nil for a line of another form.
    init?(_ text: Substring) {
      columns = text.split(separator: "\t", omittingEmptySubsequences: false)
      guard columns.count == 19 else { return nil }
    }

    var country: String { columns[8].lowercased() }
    var region: String { "\(columns[8]).\(columns[10])".lowercased() }

    func isCalled(_ name: String) -> Bool {
      [columns[1], columns[2]].contains { $0.lowercased() == name }
        || columns[3].split(separator: ",").contains { $0.lowercased() == name }
    }

    /// Nil where degrees are no numbers. Throws `invalidValue` for what is no place.
    func place() throws -> BirthPlace? {
      guard let latitude = Double(columns[4]), let longitude = Double(columns[5]) else { return nil }
      return try BirthPlace(
        latitude: latitude, longitude: longitude, timeZoneName: String(columns[17]), name: String(columns[1]))
    }
  }

  private let lines: [Substring]

  /// Reads a file. Throws `unreadableFile` where it cannot be read or is of another form.
  public init(_ file: URL) throws {
    let text: String
    do {
      text = try String(contentsOf: file, encoding: .utf8)
    } catch {
      throw AstroSvitlaError(
        .unreadableFile, .placesUnreadable, "\(file.path)", cause: error.systemReason)
    }
    lines = text.split(separator: "\n")
    guard let first = lines.first, Line(first) != nil else {
      throw AstroSvitlaError(.unreadableFile, .notAPlaceFile, "\(file.path)")
    }
  }

  /// The one place of a name in any case, under any of its names. Where several places have the name, the country or
  /// the country and the region's code tell them apart: `Paris, FR`, `Springfield, US.IL`.
  ///
  /// Throws `notFound`, or `ambiguous` where several places answer.
  public func place(named text: String) throws -> BirthPlace {
    let parts = text.lowercased().split(separator: ",", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
    guard let name = parts.first, !name.isEmpty else { throw AstroSvitlaError(.notFound, .noSuchPlaceInFile) }
    let found = lines.lazy.compactMap { Line($0) }.filter { line in
      line.isCalled(name) && (parts.count == 1 || [line.country, line.region].contains(parts[1]))
    }
    let places = try Array(found).compactMap { try $0.place() }
    guard let first = places.first else { throw AstroSvitlaError(.notFound, .noSuchPlaceInFile) }
    guard places.count == 1 else { throw AstroSvitlaError(.ambiguous, .ambiguousPlace, "\(places.count)") }
    return first
  }
}
