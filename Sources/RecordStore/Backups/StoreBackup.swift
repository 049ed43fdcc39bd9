public import Foundation

/// A copy of a store from before a migration that rewrote records.
///
/// It lies in the store's directory, `backups/<time>-<schema version>/`, and is a store of its own: any reader opens
/// it. Copies are made inside the migration's transaction, so none of them misses a save; half a copy has a name that
/// no reader of this list knows, and goes with the next one.
public struct StoreBackup: Hashable, Sendable, Comparable {
  /// The directory of the copy.
  public let url: URL
  /// To the second.
  public let madeAt: Date
  /// The schema that the store had.
  public let schemaVersion: SchemaVersion

  /// The name of the directory, which begins with the time.
  public var name: String { url.lastPathComponent }

  /// Whether a copy was made before another: by the time, within one second by the signs behind the version, then by
  /// the version. Earlier builds gave a sign only to a second copy of the same version.
  public static func < (left: StoreBackup, right: StoreBackup) -> Bool {
    (left.madeAt, left.placeInSecond, left.schemaVersion, left.name)
      < (right.madeAt, right.placeInSecond, right.schemaVersion, right.name)
  }

  /// How many copies of the same second stood there before it.
  var placeInSecond: Int { name.reversed().prefix { $0 == StoreBackup.sign }.count }
  private static let sign: Character = "+"

  static let folder = "backups"

  init(in store: URL, milliseconds: UInt64, schemaVersion: SchemaVersion, placeInSecond: Int = 0) {
    madeAt = StoreBackup.date(milliseconds)
    self.schemaVersion = schemaVersion
    let folder = store.appendingPathComponent(StoreBackup.folder, isDirectory: true)
    let signs = String(repeating: StoreBackup.sign, count: placeInSecond)
    url = folder.appendingPathComponent("\(StoreBackup.text(madeAt))-\(schemaVersion)\(signs)", isDirectory: true)
  }

  /// Nil for names that are none.
  init?(_ url: URL) {
    let parts = url.lastPathComponent.split(separator: "-", maxSplits: 1)
    guard parts.count == 2, let date = StoreBackup.date(parts[0]) else { return nil }
    // Behind the version is a sign for each copy of the same second before it.
    let version = parts[1].prefix { $0 != StoreBackup.sign }
    let texts = version.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = texts.compactMap { Int($0) }
    guard texts.count == 3, numbers.count == 3,
      parts[1].dropFirst(version.count).allSatisfy({ $0 == StoreBackup.sign })
    else { return nil }
    self.url = url
    madeAt = date
    schemaVersion = SchemaVersion(numbers[0], numbers[1], numbers[2])
  }

  /// `20260102T030405Z`: in the order of time, and safe in every file system.
  static func text(_ milliseconds: UInt64) -> String { text(date(milliseconds)) }

  /// To the second, and not beyond the year 9999: later ones have more digits than a name.
  private static func date(_ milliseconds: UInt64) -> Date {
    Date(timeIntervalSince1970: min(Double(milliseconds / 1000), 253_402_300_799))
  }

  private static func text(_ date: Date) -> String {
    date.formatted(
      .iso8601.year().month().day().dateSeparator(.omitted).time(includingFractionalSeconds: false)
        .timeSeparator(.omitted).timeZone(separator: .omitted))
  }

  private static func date(_ text: Substring) -> Date? {
    let format = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted)
      .time(includingFractionalSeconds: false).timeSeparator(.omitted).timeZone(separator: .omitted)
    do {
      return try format.parse(String(text))
    } catch {
      // A name that somebody else gave.
      return nil
    }
  }
}

extension RecordStore {
  /// The copies from before migrations that a store's directory holds, oldest first. Opens nothing.
  ///
  /// - Throws: ``StoreError`` `inputOutput` or `permissionDenied` where the directory cannot be read.
  public static func backups(of store: URL) throws -> [StoreBackup] {
    let folder = store.appendingPathComponent(StoreBackup.folder)
    guard try FileItem.at(StoreBackup.folder, inStore: store.path) != nil else { return [] }
    let places = try FileItem.names(in: folder).map { folder.appendingPathComponent($0, isDirectory: true) }
    return places.compactMap(StoreBackup.init).sorted()
  }
}
